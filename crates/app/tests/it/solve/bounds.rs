//! What a planner cannot do, whatever it writes.

use super::*;

#[test]
fn two_replies_that_are_no_plan_end_the_run() {
    let long = "not json ".repeat(100);
    let bad =
        r#"{"thought":"","plan":[],"actions":[{"tool":"run","command":"touch made"},{"tool":"delete"}]}"#;
    let unknown = "Unknown tool: delete. Allowed tools: read_file, apply_diff, run, git_status, git_diff";
    let cases = [
        (
            long.as_str(),
            format!(
                "\n\nPREVIOUS ATTEMPT WAS INVALID JSON:\n{}\n\nTry again with VALID JSON only.",
                &long[..200]
            ),
            "expected one JSON object, found words",
        ),
        (bad, format!("\n\nVALIDATION ERROR:\n{unknown}\n\nFix the error and output valid JSON."), unknown),
    ];
    for (reply, added, message) in cases {
        let (work, server) = (Scratch::new(), Server::play([Reply::text(reply), Reply::text(reply)]));
        let outcome = cinque(&work, &server).command(["solve", "--json", "x"]).run();
        let solved = result(outcome.assert_code(3));
        assert_eq!(solved["error"], format!("Failed to generate plan: {message}"));
        let prompts = prompts(&server);
        assert_eq!(prompts[1], format!("{}{added}", prompts[0]));
        assert!(!work.exists("made"), "all or nothing");
        let listed = cinque(&work, &server).command(["log", "list", "--json"]).run().json_lines();
        assert_eq!(listed[0]["status"], "failed");
        // The same reply mended at the second try goes on.
        let server = Server::play([Reply::text(reply), plan(json!([]))]);
        cinque(&work, &server).command(["solve", "--fresh", "x"]).run().assert_code(0);
    }
}

#[test]
#[rustfmt::skip]
fn no_hard_reject_ever_runs() {
    let rejects = [
        "rm -rf x", "rm -r -f x", "rm  --recursive --force x", "rm --rec --for x", "r'm' -r\"f\" x", "\\rm -rf x", "/bin/rm -fr x", "rm -f x",
        "Remove-Item x -Recurse", "del /s x", "del /q x", "rd /s x", "rmdir /s x", "find . -delete", "find . -exec rm -rf {} +",
        "format c:", "mkfs.ext4 /dev/sda", "diskpart", "dd if=/dev/zero of=/dev/sda", "curl http://x", "wget http://x", "Invoke-WebRequest x",
        "Invoke-RestMethod x", "nc x 1", "ssh x", "echo $env:PATH", "printenv", "env", "env -0", "Set-ExecutionPolicy Bypass", "net user", "net localgroup",
        "env X=1 rm -rf x", "sh -c 'rm -rf x'", "bash -c \"bash -c 'rm -rf x'\"", "echo x | xargs rm -rf", "echo 'rm -rf x' | sh", "bash <<< 'rm -rf x'",
        "c=rm; $c -rf x", "$(echo rm) -rf x", "eval 'rm -rf x'", "true && (cd . ; rm -rf x)", "time rm -rf x", "nohup rm -rf x &", "cat <(curl x)",
        "python3 -c 'print(1)'; rm -rf x", "if true; then rm -rf x; fi", "$CMD x", "'unclosed",
    ];
    let work = Scratch::new();
    work.write("x/kept", "");
    let server = Server::answer(move |request| match (request.number % 2, rejects[request.number / 2]) {
        (0, reject) => plan(json!([run("touch ran"), run(&format!("touch ran; {reject}"))])),
        _ => plan(json!([{ "tool": "read_file", "path": "x/kept" }])),
    });
    let most = rejects.len().to_string();
    let outcome = cinque(&work, &server).command(["solve", "--max-iterations", &most, "--json", "x"]).run();
    result(outcome.assert_code(5));
    let prompts = prompts(&server);
    for (number, reject) in rejects.iter().enumerate() {
        let told = format!("\n\nVALIDATION ERROR:\nDestructive command not allowed: touch ran; {reject}\n\n");
        assert!(prompts[2 * number + 1].contains(&told), "{reject}");
    }
    assert!(!work.exists("ran") && work.exists("x/kept"));
    for reject in ["rm -rf x", "env | grep KEY", "curl x", "sh -c 'rm -f x'"] {
        let server = Server::play([plan(json!([]))]);
        let outcome = cinque(&work, &server).command(["solve", "--json", "--test", reject, "x"]).run();
        let solved = result(outcome.assert_code(6));
        assert_eq!(solved["error"], format!("Destructive command not allowed: {reject}"));
        assert_eq!(server.requests().len(), 0, "before anything runs");
    }
}

#[test]
fn bad_replies_are_bounded_and_told() {
    let many: Vec<Value> = (0..10_000).map(|_| json!({ "tool": "git_status" })).collect();
    let object = |inner: &str| format!("{{\"thought\":\"\",\"plan\":[],\"actions\":[]{inner}}}");
    let cases: [(&str, String, &str); 6] = [
        (
            "10,000 actions",
            json!({ "thought": "", "plan": [], "actions": many }).to_string(),
            "Too many actions: 10000",
        ),
        (
            "more than 10 MB",
            object(&format!(",\"x\":\"{}\"", "y".repeat(11 << 20))),
            "at most 10485760 are read",
        ),
        ("deep", object(&format!(",\"x\":{}", "[".repeat(100_000))), "levels of nesting"),
        ("twice", object(",\"plan\":[]"), "'plan' a second time"),
        ("NaN", object(",\"x\":NaN"), "found 'NaN'"),
        ("two objects", format!("{}{}", object(""), object("")), "a second JSON object"),
    ];
    for (name, reply, message) in cases {
        let (work, server) = (Scratch::new(), Server::play([Reply::text(&reply), Reply::text(&reply)]));
        let outcome = cinque(&work, &server).command(["solve", "--json", "x"]).run();
        let error = result(outcome.assert_code(3))["error"].to_string();
        assert!(error.contains("Failed to generate plan: ") && error.contains(message), "{name}: {error}");
    }
    let large = object(&format!(",\"x\":\"{}\"", "y".repeat(9 << 20)));
    let (work, server) = (Scratch::new(), Server::play([Reply::text(&large)]));
    cinque(&work, &server).command(["solve", "--json", "x"]).run().assert_code(0);
    let bytes = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\xfe{\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let server = Server::answer(move |_| Reply::raw(200, [("content-type", "text/event-stream")], *bytes));
    result(cinque(&work, &server).command(["solve", "--json", "--fresh", "x"]).run().assert_code(3));
}

#[test]
fn a_prompt_is_bounded_whatever_was_printed_and_read() {
    let work = Scratch::new();
    work.write("large", "ünïcödé line\n".repeat(40_000));
    let server = Server::play([
        plan(
            json!([{ "tool": "read_file", "path": "large" }, run("yes | head -c 3000000; yes err | head -c 3000000 >&2; exit 3")]),
        ),
        plan(json!([])),
    ]);
    let outcome = cinque(&work, &server)
        .command(["solve", &"describe ".repeat(4000), "--test", "yes | head -n 100000; false"])
        .run();
    outcome.assert_code(7);
    let prompts = prompts(&server);
    assert!(prompts.iter().all(|prompt| prompt.chars().count() < 60_000));
    for part in ["Error: Command exited with code 3", "[stderr]\nerr", "lines trimmed", "(the test command)"]
    {
        assert!(prompts[1].contains(part), "{part}");
    }
    assert_eq!(
        work.files().iter().filter(|path| path.contains("output-")).count(),
        0,
        "nothing is left behind"
    );
}

#[test]
fn commands_are_confined_bounded_and_see_no_secrets() {
    let outside = Scratch::new();
    let work = Scratch::new();
    let leak = format!("echo x > {}/leak", outside.path().display());
    let server = Server::play([
        plan(json!([run("echo \"key=$OPENAI_API_KEY\"; echo in > inside"), run(&leak)])),
        plan(json!([{ "tool": "git_status" }])),
        plan(json!([run("echo \"pid $$\"; sleep 600")])),
        plan(json!([])),
    ]);
    let cinque = cinque(&work, &server)
        .env("CINQUE_SOLVE__COMMAND_TIMEOUT", "1")
        .env("OPENAI_API_KEY", "sk-very-secret-key-1234");
    cinque.command(["solve", "x"]).run().assert_code(0);
    let prompts = prompts(&server);
    assert!(prompts[1].contains("Output: key=\n") && work.exists("inside"), "{}", prompts[1]);
    assert!(!outside.exists("leak") && !prompts.join("").contains("very-secret"));
    assert!(prompts[2].contains("Command exited with code 128"), "not a repository: {}", prompts[2]);
    assert!(prompts[3].contains("Error: Command timed out after 1 s"), "{}", prompts[3]);
    // A test command that hangs is ended as well.
    let server = Server::play([plan(json!([run("true")])), plan(json!([]))]);
    let cinque = super::super::cinque(&work, &server).env("CINQUE_SOLVE__COMMAND_TIMEOUT", "1");
    let outcome = cinque.command(["solve", "--json", "--test", "sleep 600", "x"]).run();
    assert_eq!(result(outcome.assert_code(7))["error"], "Tests failed: Command timed out after 1 s");
}
