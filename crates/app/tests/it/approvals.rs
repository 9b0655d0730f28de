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
