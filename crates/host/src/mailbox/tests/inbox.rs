//! Taking letters: which, when, and only once.

use super::*;
use crate::dialect::MISREAD;
use std::fs::File;

const OWN: &str = "0a1b2c3d";

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Puts a file into the inbox that was written a while ago.
fn put(post: &Post, name: &str, content: impl AsRef<[u8]>, seconds_ago: u64) {
    fs::create_dir_all(&post.inbox).unwrap();
    let path = post.inbox.join(name);
    fs::write(&path, content).unwrap();
    let at = SystemTime::now() - Duration::from_secs(seconds_ago);
    File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

fn take(post: &Post, sequence: u64) -> String {
    runtime().block_on(super::super::inbox::take(post, OWN, sequence)).unwrap().name
}

#[test]
fn the_oldest_comes_first_and_none_is_overwritten() {
    let scratch = Scratch::new();
    let post = post(&scratch);
    for (name, age) in [("b.txt", 10), ("a.TXT", 20), ("c.txt", 10), ("notes.md", 90), (".hidden.txt", 90)] {
        put(&post, name, name, age);
    }
    fs::create_dir(post.inbox.join("folder.txt")).unwrap();
    std::os::unix::fs::symlink("notes.md", post.inbox.join("link.txt")).unwrap();
    assert_eq!([take(&post, 1), take(&post, 2), take(&post, 3)], ["a.TXT", "b.txt", "c.txt"]);
    put(&post, "b.txt", "another", 5);
    assert_eq!(take(&post, 4), "b.txt");
    let processed = |name: &str| fs::read_to_string(post.inbox.join("processed").join(name)).unwrap();
    assert_eq!((processed("b.txt"), processed("b-2.txt")), ("b.txt".into(), "another".into()));
    assert!(post.inbox.join("notes.md").exists() && post.inbox.join(".hidden.txt").exists());
}

#[test]
fn a_name_as_long_as_names_may_be_is_taken_again_and_again() {
    let scratch = Scratch::new();
    let post = post(&scratch);
    let name = format!("{}.txt", "é".repeat(125));
    for sequence in 1..4 {
        put(&post, &name, sequence.to_string(), 9);
        assert_eq!(take(&post, sequence), name);
    }
    assert_eq!(fs::read_dir(post.inbox.join("processed")).unwrap().count(), 3);
}

#[test]
fn a_letter_taken_before_a_crash_is_the_answer_to_the_same_question_and_to_no_other() {
    let scratch = Scratch::new();
    let post = post(&scratch);
    put(&post, "one.txt", "1", 9);
    assert_eq!(take(&post, 1), "one.txt");
    put(&post, "two.txt", "2", 9);
    assert_eq!(take(&post, 1), "one.txt", "the log did not get to know it");
    assert_eq!(take(&post, 2), "two.txt");
    assert_eq!(super::super::inbox::taken(&post, OWN), Some(2));
}

#[test]
fn a_letter_named_after_another_question_that_waits_is_left_for_it() {
    let scratch = Scratch::new();
    let post = post(&scratch);
    let other = Request { conversation: "ffffffff".into(), ..request(vec![said("other")]) };
    super::super::outbox::write(&post, &other, 1).unwrap();
    put(&post, "ffffffff_seq0001.txt", "theirs", 60);
    put(&post, "eeeeeeee_seq0001.txt", "of nobody", 50);
    put(&post, "0a1b2c3d_seq0007.txt", "ours", 40);
    assert_eq!([take(&post, 1), take(&post, 2)], ["eeeeeeee_seq0001.txt", "0a1b2c3d_seq0007.txt"]);
    assert!(post.inbox.join("ffffffff_seq0001.txt").exists());
    assert_eq!(post.waiting("ffffffff").len(), 1);
    let theirs = runtime().block_on(super::super::inbox::take(&post, "ffffffff", 1)).unwrap();
    assert_eq!((theirs.name.as_str(), post.waiting("ffffffff").len()), ("ffffffff_seq0001.txt", 0));
    assert_eq!(post.deliver(OWN, "x").unwrap().file_name().unwrap(), "0a1b2c3d_seq0001.txt");
    assert_eq!(post.deliver(OWN, "y").unwrap().file_name().unwrap(), "0a1b2c3d_seq0001-2.txt");
}

#[test]
fn a_file_that_arrives_by_renaming_or_in_a_folder_made_anew_is_found() {
    let scratch = Scratch::new();
    let post = post(&scratch);
    runtime().block_on(async {
        let task = {
            let post = post.clone();
            tokio::spawn(async move { super::super::inbox::take(&post, OWN, 1).await.unwrap().name })
        };
        tokio::task::yield_now().await;
        fs::remove_dir_all(&post.inbox).unwrap();
        while !post.inbox.exists() {
            tokio::task::yield_now().await;
        }
        put(&post, "draft", "whole", 9);
        fs::rename(post.inbox.join("draft"), post.inbox.join("reply.txt")).unwrap();
        assert_eq!(task.await.unwrap(), "reply.txt");
    });
}

#[test]
fn a_writer_that_pauses_is_waited_for() {
    let scratch = Scratch::new();
    let post = post(&scratch);
    let letter = runtime().block_on(async {
        fs::create_dir_all(&post.inbox).unwrap();
        let path = post.inbox.join("slow.txt");
        let writing = tokio::spawn(async move {
            for piece in ["[MESSAGE]\n", "a\n", "b\n", "[/MESSAGE]\n"] {
                use std::io::Write;
                let mut file = File::options().create(true).append(true).open(&path).unwrap();
                file.write_all(piece.as_bytes()).unwrap();
                tokio::time::sleep(Duration::from_millis(250)).await;
            }
        });
        let letter = super::super::inbox::take(&post, OWN, 1).await.unwrap();
        writing.await.unwrap();
        letter
    });
    assert_eq!(letter.bytes.unwrap(), b"[MESSAGE]\na\nb\n[/MESSAGE]\n");
}

#[test]
fn what_ends_in_the_middle_of_a_command_does_not_seem_whole() {
    for (content, expected) in [
        ("[MESSAGE]\na\n[/MESSAGE]\n", true),
        ("[READ_FILE path=\"a\"]\n", true),
        ("[DELETE_FILE]\n", true),
        ("", false),
        ("Sure, here it is:\n", false),
        ("[READ_FILE path=\"a\"]\n[RUN_COMMAND]\nls\n", false),
        ("[CREATE_FILE path=\"a\"]\nx\n[/CREATE", false),
    ] {
        assert_eq!(super::super::reply::seems_whole(content.into()), expected, "{content}");
    }
}

fn read(content: &[u8]) -> Reply {
    let scratch = Scratch::new();
    let post = post(&scratch);
    put(&post, "r.txt", content, 9);
    let letter = runtime().block_on(super::super::inbox::take(&post, OWN, 1)).unwrap();
    let workspace = Workspace::open(scratch.path()).unwrap();
    super::super::reply::read(&letter, Some(Path::new("o.txt")), &specs(), &workspace)
}

#[test]
fn what_is_no_reply_is_told_and_nothing_of_it_runs() {
    let wide = |text: &str| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let done = "[DONE]\nok\n[/DONE]\n";
    let many = "[READ_FILE path=\"a\"]\n".repeat(2000);
    let own = format!("=== HEADER ===\nProtocol: 1.0\n{done}");
    let large = [done.as_bytes(), &vec![b' '; 9 << 20]].concat();
    let cases: [(&[u8], &str, &str); 12] = [
        (done.as_bytes(), "done", "ok"),
        (&wide(done), "done", "ok"),
        (b"", MISREAD, "The reply is empty. No command was found"),
        (b" \r\n", MISREAD, "The reply is empty"),
        (b"I would rather talk.", MISREAD, "No command was found in the reply"),
        (b"[CREATE a]\nx\n[/CREATE]", MISREAD, "No command was found in the reply"),
        (b"\x00\x01[DONE]\nx\n[/DONE]", MISREAD, "The reply file is not text (UTF-8)"),
        (b"\xff\xfe\x00", MISREAD, "The reply is empty"),
        (b"caf\xe9\n[DONE]\nx\n[/DONE]", MISREAD, "The reply file is not text (UTF-8)"),
        (own.as_bytes(), MISREAD, "The file in the inbox was the outbox file itself"),
        (many.as_bytes(), MISREAD, "The reply has 2000 commands"),
        (&large, MISREAD, "bytes, more than the limit of 8388608"),
    ];
    for (content, name, words) in cases {
        let reply = read(content);
        let shown = String::from_utf8_lossy(&content[..content.len().min(60)]).into_owned();
        assert_eq!(reply.calls.len(), 1, "{shown}");
        assert_eq!(reply.calls[0].name, name, "{shown}");
        assert!(reply.calls[0].arguments.contains(words), "{shown}: {}", reply.calls[0].arguments);
        assert_eq!(reply.opaque.unwrap()["inbox"], "r.txt");
    }
    let called = read(b"[CALL tool=\"run_command\"]\n{\"command\":\"rm x\"}\n[/CALL]");
    assert_eq!(called.calls[0].name, MISREAD, "tags that the protocol does not have run nothing");
}
