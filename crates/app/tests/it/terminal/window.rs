//! The window changes while something goes on.

use super::*;

#[test]
fn a_reply_in_progress_stands_once_whatever_the_window_does() {
    let full: String = (0..40).map(|n| format!("{n}.\n\n")).collect();
    let sizes =
        [(90, 12), (90, 5), (90, 2), (90, 30), (45, 30), (60, 20), (120, 8), (120, 40), (90, 1), (90, 30)];
    for (earlier, sizes) in [(full.as_str(), &sizes[..]), ("Only 39.", &sizes[..4])] {
        let (work, gate) = (Scratch::new(), Gate::default());
        let words: String = (0..120).map(|n| format!("word{n} ")).collect();
        let server = Server::play([Reply::text(earlier), Reply::text(words).hold(Point::Finish, &gate)]);
        let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
        tmux.see("❯");
        tmux.types("first\r");
        tmux.see("39.");
        tmux.types("go\r");
        tmux.see("word119");
        tmux.see_told("#{cursor_flag}", "0");
        for &(columns, rows) in sizes {
            tmux.resize(columns, rows);
            tmux.see(if rows < 3 { "❯" } else { "Working" });
        }
        gate.open();
        tmux.see_not("Working");
        tmux.see_told("#{cursor_flag}", "1");
        let all = tmux.all(Colours::Left);
        for n in 0..120 {
            let count = all.split_whitespace().filter(|word| *word == format!("word{n}")).count();
            assert_eq!(count, 1, "word{n}\n{all}");
        }
    }
}

#[test]
fn the_keys_that_decide_are_seen_in_the_smallest_window() {
    for (columns, rows) in [(90, 1), (20, 2), (12, 3)] {
        let work = Scratch::new();
        let server = Server::play([commands(&["touch made"]), Reply::text("Well then.")]);
        let Some(tmux) = Tmux::open(&work, &server, Options { columns, rows, ..Options::default() }) else {
            return;
        };
        tmux.see("❯");
        tmux.types("go\r");
        tmux.see("y n a e");
        tmux.types("y");
        tmux.see_not("y n a e");
        tmux.resize(90, 30);
        tmux.see("Well then.");
        assert!(work.exists("made"));
    }
}
