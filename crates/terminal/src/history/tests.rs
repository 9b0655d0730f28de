//! What the file of messages holds after whatever happened to it.

use super::*;

/// A folder that removes itself.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("cinque-history-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Place(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("cinque/history.json")
    }

    fn stored(&self) -> Vec<String> {
        serde_json::from_slice::<Stored>(&fs::read(self.file()).unwrap()).unwrap().messages
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn blanks_and_repeats_of_the_last_are_not_kept() {
    let place = Place::new("blanks");
    let mut history = History::new(Some(place.file()));
    for message in ["a", "  \n", "b", "b", "a", ""] {
        history.add(message);
    }
    assert_eq!(place.stored(), ["a", "b", "a"]);
}

#[test]
fn at_most_a_thousand_are_kept_and_they_are_the_newest() {
    let place = Place::new("many");
    fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    let messages: Vec<String> = (0..1200).map(|n| n.to_string()).collect();
    fs::write(place.file(), serde_json::to_vec(&Stored { messages }).unwrap()).unwrap();
    History::new(Some(place.file())).add("last");
    let stored = place.stored();
    assert_eq!((stored.len(), stored[0].as_str(), stored[999].as_str()), (1000, "201", "last"));
}

#[test]
fn a_damaged_file_is_moved_aside() {
    let place = Place::new("damaged");
    fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    for (n, damage) in ["{\"messages\": [", "[]", "\u{0}"].iter().enumerate() {
        fs::write(place.file(), damage).unwrap();
        History::new(Some(place.file())).add("new");
        assert_eq!(place.stored(), ["new"]);
        let aside =
            place.file().with_extension(if n == 0 { "damaged".into() } else { format!("damaged.{n}") });
        assert_eq!(fs::read_to_string(aside).unwrap(), *damage);
    }
}

#[test]
fn two_terminals_at_once_lose_nothing() {
    let place = Place::new("two");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let file = place.file();
            scope.spawn(move || {
                let mut history = History::new(Some(file));
                (0..25).for_each(|n| history.add(&format!("{writer}-{n}")));
            });
        }
    });
    let stored = place.stored();
    assert_eq!(stored.len(), 100);
    for writer in 0..4 {
        let own: Vec<String> = (0..25).map(|n| format!("{writer}-{n}")).collect();
        let found = stored.iter().filter(|m| m.starts_with(&format!("{writer}-")));
        assert!(found.eq(own.iter()));
    }
}

#[test]
fn walking_keeps_the_draft() {
    let mut history = History::new(None);
    assert_eq!(history.older("draft"), None);
    ["one", "two"].iter().for_each(|message| history.add(message));
    assert_eq!(history.older("draft").as_deref(), Some("two"));
    assert_eq!(history.older("two").as_deref(), Some("one"));
    assert_eq!(history.older("one"), None);
    assert_eq!(history.newer().as_deref(), Some("two"));
    assert_eq!(history.newer().as_deref(), Some("draft"));
    assert_eq!(history.newer(), None);
}
