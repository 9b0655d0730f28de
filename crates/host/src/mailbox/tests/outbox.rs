//! Letters, byte by byte, and what is cut of them.

use super::*;

#[test]
fn the_first_letter() {
    let scratch = Scratch::new();
    let post = post(&scratch);
    let letter = written(&post, vec![said("mend\nit")]);
    let (head, rest) = letter.split_once("Act.\n\n").unwrap();
    assert_eq!(
        head,
        "=== HEADER ===\nProtocol: 1.0\nSession: 0a1b2c3d\nSequence: 1\nTask: mend it\n\n=== PROTOCOL ===\n"
    );
    let (protocol, rest) = rest.split_once("\n\n=== CONTEXT ===\n").unwrap();
    assert_eq!(protocol, text::PROTOCOL.trim_end());
    assert_eq!(rest, "## Workspace Files\n(empty workspace)\n\n=== PROMPT ===\nmend\nit\n");
}

#[test]
fn a_later_letter_has_results_and_files() {
    let scratch = Scratch::new();
    scratch.write("b/two.txt", "2\r\n22");
    scratch.write("a.txt", "");
    scratch.write("b.bin", [0u8, 1]);
    scratch.write(".gitignore", "*.log\n");
    scratch.write("x.log", "left out");
    let post = post(&scratch);
    let asked = "[READ_FILE path=\"b/two.txt\"]\n[READ_FILE path=\"a.txt\"]\n[READ_FILE path=\"b.bin\"]\n\
                 [READ_FILE path=\"../x\"]\n[READ_FILE path=\"a.txt\"]\n[READ_FILE path=\"b\"]\n[READ_FILE path=\".cinque/app.db\"]";
    let texts = [
        "[OK] READ_FILE: Queued 'b/two.txt' for next outbox",
        "Error: interrupted, outcome unknown.",
        "x",
        "x",
    ];
    written(&post, vec![said("go")]);
    let letter = written(&post, [vec![said("go")], round(asked, &texts)].concat());
    let (_, context) = letter.split_once("=== CONTEXT ===\n").unwrap();
    assert_eq!(
        context,
        "## Workspace Files\n  .gitignore (6 bytes)\n  a.txt (0 bytes)\n  b.bin (2 bytes)\n  b/two.txt (5 bytes)\n\
         ## Previous Command Results\n[OK] READ_FILE: Queued 'b/two.txt' for next outbox\n\
         [FAILED] READ_FILE: interrupted, outcome unknown.\n[OK] READ_FILE: x\n[OK] READ_FILE: x\n\n\
         ## Requested File Contents\n--- b/two.txt ---\n2\n22\n--- end b/two.txt ---\n--- a.txt ---\n--- end a.txt ---\n\
         --- b.bin --- (binary file of 2 bytes, not shown)\n--- ../x --- (file not found or access denied)\n\
         --- b --- (file not found or access denied)\n--- .cinque/app.db --- (file not found or access denied)\n\n\
         === PROMPT ===\nContinue working on the task based on the results above.\n\
         If the task is complete, send [DONE] with a summary.\n"
    );
}

#[test]
fn words_that_came_since_are_part_of_the_prompt() {
    let scratch = Scratch::new();
    let reply = round("[MESSAGE]\nhi\n[/MESSAGE]", &["[OK] MESSAGE: hi"]);
    let letter =
        written(&post(&scratch), [vec![said("go")], reply, vec![said("and mind the tests")]].concat());
    assert!(letter.contains("=== PROMPT ===\nand mind the tests\n\nContinue working"), "{letter}");
    assert!(letter.contains("Sequence: 3\nTask: go\n"), "{letter}");
}

#[test]
fn a_chat_that_comes_later_is_told_what_was_said_before() {
    let scratch = Scratch::new();
    let post = post(&scratch);
    let reply = || round("[MESSAGE]\nhi\n[/MESSAGE]", &["[OK] MESSAGE: hi"]);
    let letter = written(&post, [vec![said("go")], reply(), vec![said("on")]].concat());
    let before = "=== CONTEXT ===\n## Conversation Before This Message\n[person]\ngo\n[you]\n[MESSAGE]\nhi\n[/MESSAGE]\n## Work";
    assert!(letter.contains(before), "{letter}");
    let next = written(&post, [vec![said("go")], reply(), vec![said("on")], reply()].concat());
    assert!(!next.contains("Conversation Before"), "{next}");
}

#[test]
fn a_letter_is_written_once() {
    let scratch = Scratch::new();
    let post = post(&scratch);
    let first = written(&post, vec![said("go")]);
    scratch.write("new.txt", "x");
    assert_eq!(written(&post, vec![said("go")]), first);
    assert_eq!(fs::read_dir(&post.outbox).unwrap().count(), 1, "and nothing else lies beside it");
}

#[test]
fn what_is_large_is_cut_and_says_so() {
    let scratch = Scratch::new();
    for number in 0..400 {
        scratch.write(format!("many/a-file-with-a-rather-long-name-that-takes-room-{number:04}.txt"), "x");
    }
    scratch.write("large.txt", "a line of the large file\n".repeat(100_000));
    scratch.write("small.txt", "all of it\n");
    scratch.write("wide.txt", "é".repeat(500_000));
    let post = Post { limit: 100_000, ..post(&scratch) };
    let asked = "[READ_FILE path=\"large.txt\"]\n[READ_FILE path=\"small.txt\"]\n[READ_FILE path=\"wide.txt\"]\n[RUN_COMMAND]\nx\n[/RUN_COMMAND]";
    let output = format!("[OK] RUN_COMMAND: Ran 'x' (exit code 0)\n  Output: {}", "o".repeat(300_000));
    let letter = written(&post, [vec![said("go")], round(asked, &["a", "b", "c", &output])].concat());
    assert!(letter.len() < 100_000, "{}", letter.len());
    for part in [
        "... (result cut: ",
        "... (file cut: the first ",
        "--- small.txt ---\nall of it\n--- end small.txt ---",
        "  large.txt (2500000 bytes)\n  many/",
        "=== PROMPT ===\nContinue",
    ] {
        assert!(letter.contains(part), "{part}");
    }
    let letter =
        written(&Post { limit: 100_000, outbox: scratch.join("out"), ..post.clone() }, vec![said("go")]);
    assert!(!letter.contains("list cut"), "400 names fit");
    for number in 0..2000 {
        scratch.write(format!("more/a-file-with-a-rather-long-name-that-takes-room-{number:04}.txt"), "x");
    }
    let letter = written(&Post { outbox: scratch.join("out2"), ..post }, vec![said("go")]);
    assert!(
        letter.len() < 100_000 && letter.contains("of 2404 files are not shown; use RUN_COMMAND"),
        "{letter}"
    );
    let listed: Vec<&str> =
        letter.lines().filter(|line| line.starts_with("  ") && line.ends_with("bytes)")).collect();
    assert!(listed.is_sorted() && listed.len() > 1000);
}

#[test]
fn a_small_window_gets_the_letter_in_parts() {
    let scratch = Scratch::new();
    scratch.write("a.txt", "a line of the file\n".repeat(1500));
    let whole = post(&scratch);
    let small = Post { limit: 10_000, outbox: scratch.join(".cinque/mailbox/parts"), ..whole.clone() };
    let messages = || [vec![said("go")], round("[READ_FILE path=\"a.txt\"]", &["ok"])].concat();
    written(&small, vec![said("go")]);
    written(&whole, vec![said("go")]);
    let request = request(messages());
    let files = super::super::outbox::write(&small, &request, 2).unwrap();
    let names: Vec<String> =
        files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(names[..2], ["0a1b2c3d_seq0002.txt", "0a1b2c3d_seq0002_part2.txt"]);
    let count = files.len();
    let mut joined = String::new();
    for (number, file) in files.iter().enumerate() {
        let part = fs::read_to_string(file).unwrap();
        assert!(part.len() < 10_000, "{}", part.len());
        assert!(part.contains(&format!("=== end of part {} of {count}: ", number + 1)), "{part}");
        let ours = |line: &&str| !line.starts_with("=== end of part") && !line.starts_with("=== session");
        part.lines().filter(ours).for_each(|line| joined += &format!("{line}\n"));
    }
    assert_eq!(joined, written(&whole, messages()));
    assert_eq!(small.last_sequence("0a1b2c3d"), Some(2), "a part is no letter of its own");
    assert_eq!(small.waiting("0a1b2c3d"), files);
    assert!(notice(&files).contains(&format!("(part 1 of {count})\n")));
}

#[test]
fn the_folders_of_the_mailbox_are_not_listed() {
    let scratch = Scratch::new();
    scratch.write("in/reply.txt", "x");
    scratch.write("kept.txt", "x");
    let root = scratch.path().canonicalize().unwrap();
    let post = Post { inbox: root.join("in"), outbox: root.join("out"), ..post(&scratch) };
    let letter = written(&post, vec![said("go")]);
    assert!(letter.contains("## Workspace Files\n  kept.txt (1 bytes)\n\n"), "{letter}");
}
