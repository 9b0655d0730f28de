//! What may be lost and what may not, as tables.

use super::*;

fn path(name: &str) -> PathBuf {
    Path::new("/w").join(name)
}

/// A folder with the file `kept`, which has old words.
fn platter() -> Platter {
    let mut platter = Platter::new(&[PathBuf::from("/w")]);
    let kept = platter.file(b"old".to_vec());
    platter.found(&path("kept"), Node::File(kept));
    platter
}

/// All that can be found in `kept`, and under which other names there is something.
fn outcomes(platter: &Platter) -> Vec<(Option<String>, Vec<String>)> {
    let mut all: Vec<_> = (0..200)
        .map(|seed| {
            let mut random = Random::new(seed);
            let luck = Luck::draw(&mut random, platter.deeds());
            let found = platter.cut(luck, &mut random);
            let words = |node: &Node| match node {
                Node::File(file) => String::from_utf8(found.files[*file].clone()).unwrap(),
                other => format!("{other:?}"),
            };
            let others = found.names.keys().filter(|name| **name != path("kept") && **name != path(""));
            let others = others.map(|name| name.display().to_string()).collect();
            (found.names.get(&path("kept")).map(words), others)
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// New words under another name, which then becomes `kept`.
fn replace(platter: &mut Platter, is_synced: impl Fn(&str) -> bool) {
    let file = platter.file(Vec::new());
    platter.do_deed(Deed::Name { path: path("new"), node: Node::File(file) });
    platter.do_deed(Deed::Write { file, at: 0, bytes: b"words".to_vec() });
    if is_synced("file") {
        platter.sync_file(file, platter.deeds());
    }
    platter.do_deed(Deed::Move { from: path("new"), to: path("kept"), node: Node::File(file) });
    if is_synced("folder") {
        platter.sync_folder(&path(""), platter.deeds());
    }
}

#[test]
fn a_replaced_file_is_old_or_new_only_if_it_was_synced_first() {
    for (synced, expected) in [
        ("file folder", &["words"][..]),
        ("file", &["old", "words"]),
        ("folder", &["", "\0\0\0\0\0", "wo", "words"]),
    ] {
        let mut platter = platter();
        replace(&mut platter, |what| synced.contains(what));
        let mut found: Vec<_> = outcomes(&platter).into_iter().filter_map(|(words, _)| words).collect();
        found.dedup();
        assert_eq!(found, expected, "{synced}");
    }
}

#[test]
fn what_lies_in_a_lost_folder_is_lost() {
    let mut platter = platter();
    platter.do_deed(Deed::Name { path: path("made"), node: Node::Folder });
    let file = platter.file(Vec::new());
    platter.do_deed(Deed::Name { path: path("made/file"), node: Node::File(file) });
    platter.sync_folder(&path("made"), platter.deeds());
    let others: Vec<_> = outcomes(&platter).into_iter().map(|(_, others)| others).collect();
    assert_eq!(others, [vec![], vec!["/w/made".to_owned(), "/w/made/file".to_owned()]]);
}

#[test]
fn a_sync_is_about_what_was_there_when_it_began() {
    let mut platter = platter();
    let begun = platter.deeds();
    platter.do_deed(Deed::Unname { path: path("kept") });
    platter.sync_folder(&path(""), begun);
    assert_eq!(outcomes(&platter).len(), 2);
    platter.sync_folder(&path(""), platter.deeds());
    assert_eq!(outcomes(&platter), [(None, vec![])]);
}

#[test]
fn a_long_write_is_torn_between_its_pieces_only() {
    let found: Vec<_> = pieces(500, &[0; 1000], 512).map(|(at, piece)| (at, piece.len())).collect();
    assert_eq!(found, [(500, 12), (512, 512), (1024, 476)]);
}
