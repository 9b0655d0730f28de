//! Calls that need a decision when nobody is there, and what the three modes do.

use super::*;

#[test]
fn with_nobody_to_ask_the_call_waits_and_can_be_decided_later() {
    for (flag, told) in [("--approve-call", "exit code 0"), ("--decline-call", "declined")] {
        let (work, server) = (Scratch::new(), Server::play([shell("touch made"), Reply::text("finished")]));
        let cinque = cinque(&work, &server);
        let outcome = cinque.command(["exec", "--json", "go"]).run();
        let lines = outcome.assert_code(4).json_lines();
        let id = conversation(&lines);
        let call = lines.last().unwrap()["result"]["pending"][0]["id"].as_str().unwrap().to_owned();
        assert!(
            outcome.stderr.contains(&format!("--resume {id} --approve-call {call}")),
            "{}",
            outcome.stderr
        );
        assert!(!work.exists("made"));
        cinque.command(["exec", "--resume", &id]).run().assert_code(4);
        let resumed = cinque.command(["exec", "--resume", &id, flag, &call]).run();
        assert_eq!(resumed.assert_code(0).stdout, "finished\n");
        assert_eq!(work.exists("made"), flag == "--approve-call");
        let result = server.last_messages().last().unwrap()["content"].to_string();
        assert!(result.contains(told), "{result}");
        let again = cinque.command(["exec", "--resume", &id, flag, &call]).run();
        assert!(again.assert_code(2).stderr.contains("already decided"));
    }
}

#[test]
fn an_approval_in_another_shell_counts() {
    let (work, server) = (Scratch::new(), Server::play([shell("touch made"), Reply::text("finished")]));
    let lines = cinque(&work, &server).command(["exec", "--json", "go"]).run().assert_code(4).json_lines();
    let id = conversation(&lines);
    let call = lines.last().unwrap()["result"]["pending"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/nowhere/bin:/bin:{}", std::env::var("PATH").unwrap());
    let elsewhere = cinque(&work, &server).env("PATH", path).env("LC_ALL", "C");
    let resumed = elsewhere.command(["exec", "--resume", &id, "--approve-call", &call]).run();
    assert_eq!(resumed.assert_code(0).stdout, "finished\n");
    assert!(work.exists("made"), "{}", resumed.stderr);
}

#[test]
fn words_beside_a_waiting_call_are_kept_and_that_is_said() {
    let (work, server) = (Scratch::new(), Server::play([shell("touch made"), Reply::text("finished")]));
    let cinque = cinque(&work, &server);
    let kept = "What you said is kept; the model reads it after the decision.";
    let first = cinque.command(["exec", "--json", "go"]).run();
    let lines = first.assert_code(4).json_lines();
    assert!(!first.stderr.contains(kept), "{}", first.stderr);
    let id = conversation(&lines);
    let call = lines.last().unwrap()["result"]["pending"][0]["id"].as_str().unwrap().to_owned();
    let told = cinque.command(["exec", "--resume", &id, "and be quick"]).run();
    let waits = format!("--resume {id} --approve-call {call}");
    assert!(told.assert_code(4).stderr.contains(kept) && told.stderr.contains(&waits), "{}", told.stderr);
    cinque.command(["exec", "--resume", &id, "--approve-call", &call]).run().assert_code(0);
    let messages = kit::serde_json::to_string(&server.last_messages()).unwrap();
    assert!(messages.contains("and be quick"), "{messages}");
}

#[test]
fn decisions_that_do_not_all_fit_are_none() {
    let (work, server) = (Scratch::new(), Server::play([shell("touch made"), Reply::text("finished")]));
    let cinque = cinque(&work, &server);
    let lines = cinque.command(["exec", "--json", "go"]).run().assert_code(4).json_lines();
    let id = conversation(&lines);
    let call = lines.last().unwrap()["result"]["pending"][0]["id"].as_str().unwrap().to_owned();
    for flags in [
        ["--approve-call", &call, "--decline-call", &call],
        ["--approve-call", &call, "--approve-call", "nope"],
    ] {
        let arguments = ["exec", "--resume", &id].into_iter().chain(flags);
        cinque.command(arguments).run().assert_code(2);
        assert!(!work.exists("made"));
    }
    cinque.command(["exec", "--resume", &id, "--approve", "auto"]).run().assert_code(0);
    assert!(work.exists("made"), "a mode decides what waits");
}

#[test]
fn the_network_is_for_a_person_to_grant() {
    for (mode, code, told) in [("auto", 4, "it wants the network"), ("never", 0, "")] {
        let call = Reply::call("shell", json!({ "command": "echo hi", "network": true }));
        let (work, server) = (Scratch::new(), Server::play([call, Reply::text("ok")]));
        let outcome = cinque(&work, &server).command(["exec", "--approve", mode, "go"]).run();
        assert!(outcome.assert_code(code).stderr.contains(told), "{}", outcome.stderr);
        if mode == "never" {
            let result = server.last_messages()[3]["content"].to_string();
            assert!(result.contains("declined"), "{result}");
        }
    }
}

#[test]
fn a_path_outside_is_written_only_where_a_person_granted_it() {
    let outside = Scratch::new();
    outside.write("beside/kept", "");
    outside.write("file", "old");
    let place = outside.path().display();
    let command =
        format!("echo new > {place}/granted/made; echo new > {place}/file; touch {place}/beside/kept2");
    outside.directory("granted");
    let paths = [format!("{place}/granted"), format!("{place}/file")];
    let call = Reply::call("shell", json!({ "command": command, "writable": paths }));
    let (work, server) = (Scratch::new(), Server::play([call, Reply::text("done")]));
    let cinque = cinque(&work, &server);
    let asked = cinque.command(["exec", "--json", "--approve", "auto", "go"]).run();
    let lines = asked.assert_code(4).json_lines();
    let words = format!("it wants to write {place}/granted and {place}/file, outside the workspace");
    assert!(asked.stderr.contains(&words), "{}", asked.stderr);
    let pending = &lines.last().unwrap()["result"]["pending"][0];
    let call = pending["id"].as_str().unwrap().to_owned();
    cinque.command(["exec", "--resume", &conversation(&lines), "--approve-call", &call]).run().assert_code(0);
    assert_eq!((outside.read("granted/made"), outside.read("file")), ("new\n".into(), "new\n".into()));
    assert!(!outside.exists("beside/kept2"), "what was not granted is not written");
}

#[test]
fn what_a_granted_path_leads_to_is_bound_too() {
    let outside = Scratch::new();
    let (first, second) = (outside.directory("first"), outside.directory("second"));
    std::os::unix::fs::symlink(&first, outside.join("link")).unwrap();
    let link = outside.join("link").display().to_string();
    let command = format!("touch {link}/made");
    let call = Reply::call("shell", json!({ "command": command, "writable": [link] }));
    let (work, server) = (Scratch::new(), Server::play([call, Reply::text("done")]));
    let cinque = cinque(&work, &server);
    let lines = cinque.command(["exec", "--json", "go"]).run().assert_code(4).json_lines();
    let call = lines.last().unwrap()["result"]["pending"][0]["id"].as_str().unwrap().to_owned();
    std::fs::remove_file(outside.join("link")).unwrap();
    std::os::unix::fs::symlink(&second, outside.join("link")).unwrap();
    cinque.command(["exec", "--resume", &conversation(&lines), "--approve-call", &call]).run();
    assert!(!outside.exists("first/made") && !outside.exists("second/made"));
}

#[test]
fn what_is_too_wide_or_protected_is_never_granted() {
    for (path, words) in [("/", "the whole machine"), ("~", "a whole home"), (".git/hooks", "does not exist")]
    {
        let call = Reply::call("shell", json!({ "command": "touch made", "writable": [path] }));
        let (work, server) = (Scratch::new(), Server::play([call, Reply::text("ok")]));
        cinque(&work, &server).command(["exec", "--approve", "auto", "go"]).run().assert_code(0);
        let told = server.last_messages()[3]["content"].to_string();
        assert!(told.contains(words), "{path}: {told}");
        assert!(!work.exists("made"));
    }
}

#[test]
fn another_model_can_go_on_with_a_conversation() {
    let (work, server) = (Scratch::new(), Server::play([Reply::text("one"), Reply::text("two")]));
    let cinque = cinque(&work, &server);
    cinque.command(["exec", "-m", "openai/first", "go"]).run().assert_code(0);
    cinque.command(["exec", "-m", "openai/second", "--continue", "on"]).run().assert_code(0);
    let models: Vec<Value> =
        server.requests().iter().map(|request| request.json()["model"].clone()).collect();
    assert_eq!(models, ["first", "second"]);
}

#[test]
fn reading_needs_no_decision_in_any_mode() {
    for mode in ["ask", "auto", "never"] {
        let (work, server) = (Scratch::new(), Server::play([shell("cat note.txt"), Reply::text("read")]));
        work.write("note.txt", "the note");
        cinque(&work, &server).command(["exec", "--approve", mode, "go"]).run().assert_code(0);
        assert!(server.last_messages()[3]["content"].to_string().contains("the note"));
    }
}

#[test]
fn never_declines_and_auto_approves_but_what_is_forbidden_stays_forbidden() {
    for (mode, command, happened, told) in [
        ("never", "touch made", false, "declined"),
        ("auto", "touch made", true, "exit code 0"),
        ("auto", "touch made; rm -rf /", false, "refused by policy"),
    ] {
        let (work, server) = (Scratch::new(), Server::play([shell(command), Reply::text("ok")]));
        cinque(&work, &server).command(["exec", "--approve", mode, "go"]).run().assert_code(0);
        assert_eq!(work.exists("made"), happened, "{mode}: {command}");
        let result = server.last_messages()[3]["content"].to_string();
        assert!(result.contains(told), "{result}");
    }
}

#[test]
fn tools_ask_before_they_show_credentials_as_commands_do() {
    for (tool, arguments, code) in [
        ("shell", json!({ "command": "cat .env" }), 4),
        ("read", json!({ "path": ".env" }), 4),
        ("read", json!({ "path": "./config/.env.local" }), 4),
        ("read", json!({ "path": "key.pem" }), 4),
        ("read", json!({ "path": "link" }), 4),
        ("search", json!({ "pattern": "SECRET", "path": ".env" }), 4),
        ("read", json!({ "path": ".env.example" }), 0),
        ("search", json!({ "pattern": "SECRET" }), 0),
        ("list", json!({}), 0),
    ] {
        let (work, server) =
            (Scratch::new(), Server::play([Reply::call(tool, arguments.clone()), Reply::text("ok")]));
        for name in [".env", "config/.env.local", "key.pem"] {
            work.write(name, "SECRET=s3cr3t-value\n");
        }
        work.write(".env.example", "SECRET=fill-me-in\n");
        std::os::unix::fs::symlink(".env", work.join("link")).unwrap();
        let outcome = cinque(&work, &server).command(["exec", "go"]).run();
        outcome.assert_code(code);
        if code == 4 {
            assert!(outcome.stderr.contains("credentials"), "{}", outcome.stderr);
            continue;
        }
        let told = server.last_messages()[3]["content"].to_string();
        assert!(!told.contains("s3cr3t-value"), "{tool} {arguments}: {told}");
        assert!(tool != "search" || told.contains("fill-me-in") && told.contains("not searched"), "{told}");
    }
}
