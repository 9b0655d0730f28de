//! The configuration: whatever is in a file, it is used or it is told what is wrong; a folder that is not trusted says
//! nothing, and one that is trusted says nothing that only a person may.

use host::config::{CONFIG, Found, Layer, Places, Repository, Settings, Snapshot, Sources, load, preview};
use std::io;
use std::path::Path;

const PERSON: &str = "/person/config.toml";
const FOLDER: &str = "/folder";

pub fn check(data: &[u8]) {
    match loaded(Some(data), None) {
        Ok(rows) => assert!(!rows.is_empty()),
        Err(told) => assert!(!told.is_empty()),
    }
    assert_eq!(loaded(None, Some(data)), loaded(None, None), "of a folder that is not trusted");
    let read = |path: &Path| Ok((path == Path::new(FOLDER).join(CONFIG)).then(|| data.to_vec()));
    let snapshot = Snapshot::take(Path::new(FOLDER), &read).expect("it can be read");
    let layer = preview(Path::new(FOLDER), &snapshot);
    for (name, _) in layer.settings() {
        let Found::Key(key) = name.find() else { panic!("{name} is no key") };
        assert_eq!(key.repository, Repository::May, "{name} is for a person to set");
    }
    if let Ok(settings) = Settings::merge([Layer::defaults(), layer]) {
        let _ = settings.resolve();
    }
}

/// Every setting and its origin in words, or what is wrong.
fn loaded(person: Option<&[u8]>, folder: Option<&[u8]>) -> Result<String, String> {
    let read = |path: &Path| -> io::Result<Option<Vec<u8>>> {
        let own = path == Path::new(PERSON);
        let theirs = path == Path::new(FOLDER).join(CONFIG);
        Ok(person.filter(|_| own).or(folder.filter(|_| theirs)).map(<[u8]>::to_vec))
    };
    let places = Places { config: Some(PERSON.into()), trusted: None, typed: None };
    let sources = Sources {
        read: &read,
        places: &places,
        workspace: Path::new(FOLDER),
        environment: &[],
        flags: Layer::default(),
    };
    let loaded = load(sources).map_err(|error| error.to_string())?;
    Ok(format!("{:?}", loaded.settings.rows()))
}
