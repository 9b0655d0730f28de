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
        for &(columns, rows) in sizes {
            tmux.resize(columns, rows);
            tmux.see(if rows < 3 { "❯" } else { "Working" });
        }
        gate.open();
        tmux.see_not("Working");
        let all = tmux.all(Colours::Left);
        for n in 0..120 {
            let count = all.split_whitespace().filter(|word| *word == format!("word{n}")).count();
            assert_eq!(count, 1, "word{n}\n{all}");
        }
    }
}

#[test]
fn somebody_drags_the_border_while_a_reply_comes_in() {
    for full in [true, false] {
        let work = Scratch::new();
        let earlier =
            if full { (0..40).map(|n| format!("{n}.\n\n")).collect() } else { "Only 39.".to_owned() };
        let words: String = (0..400).map(|n| format!("word{n} ")).collect();
        let slow = Message::text(words).text_every(5).reply().slow(Duration::from_millis(3));
        let server = Server::play([Reply::text(earlier), slow]);
        let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
        tmux.see("❯");
        tmux.types("first\r");
        tmux.see("39.");
        tmux.types("go\r");
        tmux.see("word9 ");
        let narrow = (0..20).map(|step| (90 - 2 * step, 30 - step));
        let wide = (0..20).map(|step| (52 + 2 * step, 11 + step));
        tmux.drag(narrow.chain(wide));
        tmux.see("word399");
        tmux.see_not("Working");
        let all = tmux.all(Colours::Left);
        for n in 0..400 {
            let count = all.split_whitespace().filter(|word| *word == format!("word{n}")).count();
            assert_eq!(count, 1, "word{n}\n{all}");
        }
        for once in ["Using model:", "❯ first", "❯ go", "scripted   /"] {
            assert_eq!(all.matches(once).count(), 1, "{once}\n{all}");
        }
    }
}

#[test]
fn the_cursor_stands_where_the_next_letter_goes_while_a_reply_comes_in() {
    let (work, gate) = (Scratch::new(), Gate::default());
    let server = Server::play([Reply::text("Half of it").hold(Point::Finish, &gate)]);
    let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
    tmux.see("❯");
    tmux.types("go\r");
    tmux.see("Half of it");
    tmux.types("漢字");
    tmux.see("❯ 漢字");
    let row = tmux.screen().lines().position(|line| line.starts_with("❯ 漢字")).unwrap();
    tmux.see_told("#{cursor_x},#{cursor_y},#{cursor_flag}", &format!("6,{row},1"));
    gate.open();
    tmux.see_not("Working");
}

#[test]
fn no_answer_of_the_terminal_is_left_for_whoever_comes_next() {
    let work = Scratch::new();
    let words: String = (0..4000).map(|n| format!("word{n} ")).collect();
    let slow = Message::text(words).text_every(40).reply().slow(Duration::from_millis(2));
    let server = Server::play([slow]);
    let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
    tmux.see("❯");
    tmux.types("go\r");
    tmux.see("word99 ");
    tmux.press(&["C-c", "C-c"]);
    tmux.see("ended with 0");
    tmux.see("terminal restored");
    tmux.types("typed");
    tmux.see("typed");
    let screen = tmux.screen();
    assert!(screen.contains("\ntyped\n"), "{screen}");
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
