//! What scripts and CI rely on: arguments, exit codes, budgets and files.

use super::*;

#[test]
fn arguments_that_make_no_sense_are_told_in_the_contracts_words() {
    let work = Scratch::new();
    work.write("file", "");
    let cases: [(&[&str], &str); 7] = [
        (&["solve"], "Task description is required"),
        (&["solve", " \n"], "Task description is required"),
        (&["solve", "", "--directory", "nowhere"], "Task description is required"),
        (&["solve", "x", "--directory", ""], "Working directory is required"),
        (&["solve", "x", "--directory", "  "], "Working directory is required"),
        (&["solve", "x", "--directory", "no/where"], "Working directory not found: no/where"),
        (&["solve", "x", "--directory", "file"], "Working directory not found: file"),
    ];
    for (arguments, text) in cases {
        let plain = alone(&work).command(arguments).run();
        assert!(plain.assert_code(2).stderr.contains(&format!("error: {text}\n")), "{plain:?}");
        assert_eq!(plain.stdout, "");
        let outcome = alone(&work).command(arguments.iter().chain(&["--json"])).run();
        let solved = result(outcome.assert_code(2));
        assert_eq!((&solved["error"], &solved["success"]), (&json!(text), &json!(false)));
    }
    for arguments in [
        &["solve", "x", "--max-iterations", "0"][..],
        &["solve", "x", "--max-iterations", "many"],
        &["solve", "x", "--predictions", "p"],
        &["solve", "x", "--no-such-option"],
        &["solve", "x", "y"],
    ] {
        assert_eq!(alone(&work).command(arguments).run().assert_code(2).stdout, "");
        let outcome = alone(&work).command(arguments.iter().chain(&["--json"])).run();
        let solved = result(outcome.assert_code(2));
        assert_eq!((&solved["success"], &solved["iterations"]), (&json!(false), &json!(0)));
        assert!(outcome.stderr.contains(solved["error"].as_str().unwrap()), "{outcome:?}");
    }
    assert_eq!(work.files(), ["file"], "nothing was made");
}

#[test]
fn the_schema_is_published() {
    let outcome = alone(&Scratch::new()).command(["solve", "--schema"]).run();
    let schema: Value = kit::serde_json::from_str(&outcome.assert_code(0).stdout).unwrap();
    assert_eq!(schema["required"], json!(["thought", "plan", "actions"]));
}

#[test]
fn a_dry_run_carries_nothing_out() {
    let work = Scratch::new();
    let server = Server::play([plan(json!([run("touch made")]))]);
    let outcome = cinque(&work, &server).command(["solve", "--json", "--dry-run", "x"]).run();
    let solved = result(outcome.assert_code(0));
    assert_eq!(solved["summary"], "Dry run - nothing was carried out: run touch made");
    assert!(!work.exists("made"));
}

#[test]
fn budgets_end_a_run() {
    let time = plan(json!([run("sleep 600")]));
    let cases: [(&[&str], Reply, &str); 3] = [
        (&["--max-tokens-total", "1"], plan(json!([run("true")])), "Token budget (1) reached"),
        (&["--max-time", "0.5"], time, "Time limit (0.5 s) reached"),
        (&["--max-time", "0.5"], plan(json!([run("true")])).silent(), "Time limit (0.5 s) reached"),
    ];
    for (flags, reply, summary) in cases {
        let (work, server) = (Scratch::new(), Server::play([reply]));
        let outcome = cinque(&work, &server).command(["solve", "--json", "x"].iter().chain(flags)).run();
        assert_eq!(result(outcome.assert_code(5))["summary"], summary);
    }
    // An iteration for which nothing was left was none.
    let (work, server) = (Scratch::new(), Server::play([plan(json!([run("true")]))]));
    let outcome = cinque(&work, &server).command(["solve", "--json", "--max-tokens-total", "1", "x"]).run();
    assert_eq!(result(&outcome)["iterations"], 1);
    let (work, server) = (Scratch::new(), Server::play([plan(json!([]))]));
    cinque(&work, &server).command(["solve", "--max-cost", "1", "x"]).run().assert_code(2);
}

#[test]
fn an_interrupt_ends_the_run_in_good_order() {
    let (work, server) = (Scratch::new(), Server::play([plan(json!([run("echo $$ > pid; sleep 600")]))]));
    let cinque = cinque(&work, &server);
    let running = cinque.command(["solve", "--json", "x"]).spawn();
    while !work.exists("pid") {
        std::thread::yield_now();
    }
    running.signal(kit::Signal::INT);
    let outcome = running.wait();
    let solved = result(outcome.assert_code(130));
    assert_eq!((&solved["success"], &solved["error"]), (&json!(false), &json!("Cancelled")));
    cinque.command(["log", "verify"]).run().assert_code(0);
}

#[test]
fn a_model_that_fails_is_told_and_has_its_own_exit_code() {
    let (work, server) = (Scratch::new(), Server::play([Reply::status(401)]));
    let outcome = cinque(&work, &server).command(["solve", "--json", "x"]).run();
    let error = result(outcome.assert_code(3))["error"].to_string();
    assert!(error.contains("Failed to generate plan: "), "{error}");
    let outcome = alone(&work).command(["solve", "--json", "x"]).run();
    result(outcome.assert_code(3));
}

#[test]
fn files_for_ci() {
    let work = project();
    let git = |arguments: &[&str], folder: &Scratch| {
        let ran =
            std::process::Command::new("git").args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    let server = Server::play([plan(json!([
        diff("add.sh", MEND),
        run("mkdir made && echo by a command > made/note")
    ]))]);
    let out = Scratch::new();
    let at = |name: &str| out.join(name).to_string_lossy().into_owned();
    let arguments = [
        "solve",
        "--test",
        "sh test.sh",
        "--junit",
        &at("j.xml"),
        "--summary",
        &at("s.md"),
        "--patch",
        &at("p.diff"),
        "--predictions",
        &at("p.jsonl"),
        "--instance-id",
        "repo__1",
        "Mend <add> & \"more\"",
    ];
    let outcome = cinque(&work, &server).command(arguments).env("CI", "true").run();
    let stdout = &outcome.assert_code(0).stdout;
    assert!(
        stdout.starts_with(
            "::notice title=cinque solve%3A Mend <add> & \"more\"::Task completed - tests passed\n"
        ),
        "{stdout}"
    );
    let junit = out.read("j.xml");
    assert!(
        junit.contains("name=\"Mend &lt;add&gt; &amp; &quot;more&quot;\"")
            && junit.contains("failures=\"0\""),
        "{junit}"
    );
    let summary = out.read("s.md");
    assert!(
        summary.contains("Task completed - tests passed") && summary.contains("+  echo $(($1 + $2))"),
        "{summary}"
    );
    let line: Value = kit::serde_json::from_str(out.read("p.jsonl").trim_end()).unwrap();
    assert_eq!(line["instance_id"], "repo__1");
    assert_eq!(
        (&line["model_name_or_path"], &line["model_patch"]),
        (&json!("openai/scripted"), &json!(out.read("p.diff")))
    );
    let copy = project();
    git(&["apply", &at("p.diff")], &copy);
    assert_eq!(copy.read("add.sh"), work.read("add.sh"));
    assert_eq!(copy.read("made/note"), "by a command\n");
    // With --json stdout is the result alone, also in CI.
    let server = Server::play([plan(json!([run("exit 1")])), plan(json!([]))]);
    let failing = cinque(&work, &server)
        .command(["solve", "--json", "--test", "false", "--junit", &at("f.xml"), "x"])
        .env("CI", "1")
        .run();
    result(failing.assert_code(7));
    assert!(failing.stderr.contains("::error title=cinque solve%3A x::"), "{}", failing.stderr);
    assert!(out.read("f.xml").contains("<failure message=\"Tests failed: Command exited with code 1\">"));
}

#[test]
fn a_failure_is_told_once_to_whoever_reads_both_streams() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("no plan")));
    let apart = cinque(&work, &server).command(["solve", "x"]).run();
    let told = "Failed to generate plan: ";
    for stream in [&apart.assert_code(3).stdout, &apart.stderr] {
        assert_eq!(stream.matches(told).count(), 1, "{apart:?}");
    }
    let together = ["-c", "\"$@\" 2>&1", "bash"];
    let joined = cinque(&work, &server).command(["solve", "x"]).through("bash", together).run();
    assert_eq!(joined.assert_code(3).stdout.matches(told).count(), 1, "{}", joined.stdout);
}
