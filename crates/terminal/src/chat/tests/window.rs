//! What a person sees in windows that are small, or that change while something goes on.

use super::world::{Person, call, text};
use agent::Delta;

#[tokio::test]
async fn a_narrow_window_shows_everything() {
    let mut person =
        Person::sized(20, 12, vec![call("c1", "gated", r#"{"command":"touch made"}"#), text("Fine.")]).await;
    person.keys("a long prompt that does not fit\r").await;
    person.see("e decline with").await;
    person.pause().await;
    person.keys("a").await;
    person.see("From now on,\n  without asking, in\n  every folder:").await;
    person.keys("n").await;
    person.see("e decline with").await;
    for key in ["y approve", "n decline", "a always"] {
        assert!(person.screen().contains(key), "{}", person.screen());
    }
    person.pause().await;
    person.keys("y").await;
    person.see("Fine.").await;
    person.resize(40, 10).await;
    person.keys("next").await;
    person.see("❯ next").await;
    assert_eq!(person.screen().matches("Fine.").count(), 1);
}

#[tokio::test]
async fn as_many_keys_are_told_as_there_is_room_for() {
    let long = r#"{"command":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10"}"#;
    let mut person = Person::sized(80, 40, vec![call("c1", "free", long), text("Fine.")]).await;
    person.see("\n  script/1   / commands · @ files · ! shell · Ctrl+J newline").await;
    person.keys("go\r").await;
    person.see("Fine.").await;
    for (columns, keys) in [
        (80, "   Ctrl+O shows all · / commands · @ files · ! shell · Ctrl+J newline"),
        (79, "   Ctrl+O shows all · / commands · @ files · ! shell"),
        (43, "   Ctrl+O shows all · / commands"),
        (42, "   Ctrl+O shows all"),
        (29, ""),
    ] {
        person.resize(columns, 40).await;
        let footer = format!("  script/1{keys}");
        person.until(&footer, |screen| screen.trim_end().ends_with(&footer)).await;
    }
}

#[tokio::test]
async fn a_reply_in_progress_stands_once_whatever_the_window_does() {
    let words: String = (0..120).map(|n| format!("word{n} ")).collect();
    let mut person = Person::sized(60, 30, vec![vec![Delta::Text(words)]]).await;
    person.keys("go\r").await;
    person.see("word119").await;
    for (columns, rows) in
        [(60, 9), (60, 3), (20, 3), (90, 40), (60, 2), (60, 1), (60, 6), (15, 24), (60, 30)]
    {
        person.resize(columns, rows).await;
        person.rest().await;
    }
    person.keys("\x1b").await;
    person.see("Stopped").await;
    person.rest().await;
    let all = person.all();
    for n in 0..120 {
        assert_eq!(
            all.matches(&format!("word{n} ")).count() + all.matches(&format!("word{n}\n")).count(),
            1,
            "{n}\n{all}"
        );
    }
}

#[tokio::test]
async fn a_question_stands_once_whatever_the_window_does() {
    let script = vec![call("c1", "gated", r#"{"command":"touch made"}"#), text("Fine.")];
    let mut person = Person::sized(60, 20, script).await;
    person.keys("go\r").await;
    person.see("y approve").await;
    person.see_cursor_rest().await;
    for rows in [6, 4, 30, 3, 20] {
        person.resize(60, rows).await;
        person.rest().await;
    }
    let all = person.all();
    for once in ["gated wants to run", "y approve", "\n  script/1"] {
        assert_eq!(all.matches(once).count(), 1, "{once}\n{all}");
    }
}

#[tokio::test]
async fn the_list_of_commands_fits_a_window_half_as_wide() {
    let (columns, rows) = (84, 18);
    let mut person = Person::sized(columns, rows, vec![]).await;
    person.keys("/").await;
    person.see("/quit").await;
    let screen = person.screen();
    let live = screen.lines().skip_while(|line| !line.starts_with('❯'));
    let broken: usize = live.map(|line| crate::width::of(line).div_ceil(columns / 2)).sum();
    assert!(broken <= rows, "{broken} rows of {rows}:\n{screen}");
}

#[tokio::test]
async fn the_keys_that_decide_are_seen_in_the_smallest_window() {
    for (columns, rows) in [(80, 1), (80, 2), (80, 3), (20, 1), (20, 2), (20, 4), (12, 6), (10, 3), (20, 24)]
    {
        let arguments = r#"{"command":"touch made\u202e"}"#;
        let mut person =
            Person::sized(columns, rows, vec![call("c1", "gated", arguments), text("Fine.")]).await;
        person.keys("go\r").await;
        let asked = |screen: &str| {
            ["y", "n", "a", "e"].iter().all(|key| screen.split_whitespace().any(|word| word == *key))
        };
        person.until("the keys", asked).await;
        if columns > 12 {
            assert!(person.screen().contains("touch"), "{columns} x {rows}: {}", person.screen());
        }
        person.pause().await;
        person.keys("e").await;
        person.rest().await;
        person.keys("no").await;
        person.see("no").await;
        person.keys("\x1b").await;
        person.until("the keys again", asked).await;
        person.keys("y").await;
        person.until("nothing to decide", |screen| !asked(screen)).await;
    }
}

#[tokio::test]
async fn a_command_of_a_megabyte_is_folded_and_shown_whole_when_asked_for() {
    let command = format!("touch {}\u{202e}end", "x".repeat(1_000_000));
    let arguments = serde_json::json!({ "command": command }).to_string();
    let summary = text("A long command.");
    let mut person = Person::new(vec![call("c1", "gated", &arguments), summary, text("Fine.")]).await;
    person.keys("go\r").await;
    person.see("Ctrl+O show all of it").await;
    person.rest().await;
    let all = person.all();
    assert!(all.lines().count() < 200, "{} lines", all.lines().count());
    assert!(all.contains("more lines)") && all.contains("<U+202E>end"));
    let before = person.raw().len();
    person.keys("\x0f").await;
    person.rest().await;
    assert!(person.raw()[before..].matches('x').count() >= 1_000_000, "all of it was printed");
    assert_eq!(person.screen().matches("Ctrl+O show").count(), 0);
    person.pause().await;
    person.keys("y").await;
    person.see("Fine.").await;
    person.rest().await;
    assert!(person.all().lines().filter(|line| line.contains("xxx")).count() < 10_400, "and only once");
}
