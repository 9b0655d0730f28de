//! What is in progress, while more comes in and the window does what it likes.

use super::*;
use crate::screen::Gone;

#[test]
fn what_went_into_the_scrollback_is_printed_once_though_more_has_come_since() {
    let look = Look { palette: Palette::none(), columns: 40 };
    let mut talk = Talk::default();
    talk.take(&Update::Text { offset: 0, text: "one two".into() }, &look);
    assert_eq!(talk.live(5, &look), [Line::from("one two")]);
    talk.take(&Update::Text { offset: 7, text: " more\n\nthree\n\nfour\n".into() }, &look);
    talk.went(Gone { rows: 1, columns: 0 });
    talk.settle(&look);
    let printed: Vec<String> = talk.paper.take().iter().map(Line::text).collect();
    assert_eq!(printed, ["more", "", "three"]);
    assert_eq!(talk.live(5, &look), [Line::from("four")]);
}
