//! Memory is bounded, the whole is on disk, and what is shown is right whatever the size of the pieces.

use super::*;

/// A directory that goes away with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("capture-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn captured(scratch: &Scratch, text: &[u8], piece: usize) -> Captured {
    let mut capture = Capture::new(&scratch.0);
    text.chunks(piece).for_each(|bytes| capture.push(bytes));
    capture.finish()
}

#[test]
fn short_output_stays_in_memory() {
    let scratch = Scratch::new("short");
    let captured = captured(&scratch, "häll\n".as_bytes(), 2);
    assert_eq!(captured.trimmed(Limit::default()), "häll\n");
    assert_eq!(captured.total(), Size { bytes: 6, characters: 5, newlines: 1 });
    assert_eq!(captured.whole(), None);
}

#[test]
fn long_output_is_whole_on_disk_and_shown_as_if_it_were_in_memory() {
    let scratch = Scratch::new("long");
    let lines: String = (0..60_000).map(|n| format!("zeile ü {n}\n")).collect();
    let one_line = "€".repeat(400_000);
    for text in [lines, one_line, "\n".repeat(700_000)] {
        for piece in [7, 4096, 65_536, 1 << 20] {
            let captured = captured(&scratch, text.as_bytes(), piece);
            assert!(captured.head.len() <= HEAD && captured.tail.len() <= TAIL);
            assert_eq!(captured.trimmed(Limit::default()), trim(&Excerpt::whole(&text), Limit::default()));
            assert_eq!(captured.total(), Size::of(text.as_bytes()));
            assert_eq!(std::fs::read(captured.whole().unwrap()).unwrap(), text.as_bytes());
        }
    }
}

#[test]
fn the_disk_is_bounded_too() {
    let scratch = Scratch::new("bounded");
    let mut capture = Capture { most: 300_000, ..Capture::new(&scratch.0) };
    (0..10).for_each(|_| capture.push(&[b'x'; 100_000]));
    let captured = capture.finish();
    assert_eq!(captured.total().bytes, 1_000_000);
    assert_eq!(captured.whole().unwrap().metadata().unwrap().len(), 300_000);
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such() {
    let scratch = Scratch::new("binary");
    let bytes: Vec<u8> = (0..1_000_000u32).map(|n| (n.wrapping_mul(7919) >> 3) as u8).collect();
    let shown = captured(&scratch, &bytes, 1000).trimmed(Limit::default());
    assert!(shown.len() <= 10_240);
    assert!(shown.contains("trimmed]"));
}

#[test]
fn a_missing_scratch_costs_the_whole_only() {
    let missing = Scratch(PathBuf::from("/nonexistent/scratch"));
    let captured = captured(&missing, &[b'x'; 1_000_000], 50_000);
    assert_eq!(captured.total().bytes, 1_000_000);
    assert_eq!(captured.whole(), None);
}
