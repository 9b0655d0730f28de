//! What is printed where lines are typed and nothing is drawn.

use super::world::{Person, call, text};

#[tokio::test]
async fn commands_say_the_same_as_on_a_screen() {
    for (line, told) in [
        ("/help", "/undo             put files back"),
        ("/diff", "Nothing was changed."),
        ("/undo", "Nothing was changed."),
        ("/usage", "prompts: 1, calls: 0, tokens: 0 in, 0 out, cost not known"),
        ("/approvals", "Calls that wait for you: 0. Saved rules: 0."),
        ("/compact", "What was said is summed up before the next reply."),
        ("/export", "Written to talk.md"),
        ("/model script/2", "Set model to script/2"),
        ("/model", "1. script/1 (in use)"),
        ("/resume", " days ago · talk)"),
        ("/profile", "1. standard"),
        ("/profile standard", "Set profile to standard; a new conversation begins"),
        ("/fork x", "\"x\" is no record's number"),
        ("/fork 999", "\"999\" is no record's number; they go from 1 to"),
        ("/undo that file", "/undo takes nothing after it"),
        ("/modle", "Did you mean /model?"),
        ("!date", "own output of date"),
    ] {
        let mut person = Person::plain(vec![text("Hello *you*.")]);
        person.see("❯").await;
        person.line("hello").await;
        person.see("Hello you.").await;
        person.line(line).await;
        person.see(told).await;
        person.rest().await;
        assert!(person.screen().trim_end().ends_with('❯'), "{line}:\n{}", person.screen());
        let drawn = person.raw().contains('\x1b');
        assert!(!drawn, "{line}");
    }
}

#[tokio::test]
async fn a_conversation_is_cleared_and_left() {
    let mut person = Person::plain(vec![text("One."), text("Two.")]);
    person.line("first").await;
    person.see("One.").await;
    person.line("/clear").await;
    person.rest().await;
    assert_eq!(person.screen().matches("Using model:").count(), 2, "{}", person.screen());
    person.line("/quit").await;
    person.gone().await;
}

#[tokio::test]
async fn a_question_is_answered_with_a_line() {
    for (lines, after) in [
        (&["y"][..], "✓ approved"),
        (&["n"], "✗ declined"),
        (&["e too risky"], "✗ declined: too risky"),
        (&["a", "y"], "always from now on: rule for touch made"),
        (&["a", "n", "y"], "✓ approved"),
        (&["what", "y"], "✓ approved"),
    ] {
        let mut person =
            Person::plain(vec![call("c1", "gated", r#"{"command":"touch made"}"#), text("Fine.")]);
        person.line("go").await;
        person.see("[y/n]").await;
        for line in lines {
            person.rest().await;
            person.line(line).await;
        }
        person.see("Fine.").await;
        person.see(after).await;
        assert!(person.screen().contains("gated wants to run\n$ touch made\n"), "{}", person.screen());
    }
}
