//! [`Blocks`]: up to where a growing Markdown text is made of blocks that nothing can change any more.
//!
//! A block has ended where, outside of a code fence, a blank line is followed by a line that begins at the margin and
//! goes on with no list or quote. In doubt a block has not ended, and settles with a later one or at the end.

#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    /// Whole lines up to here have been looked at.
    scanned: usize,
    /// The last border between two blocks.
    border: usize,
    fence: Option<Fence>,
    /// Whether the line before was blank.
    blank: bool,
}

#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Blocks {
    /// The bytes of `text` that have settled. The text may only have grown since the last call.
    pub(super) fn complete(&mut self, text: &str) -> usize {
        for line in text.get(self.scanned..).unwrap_or_default().split_inclusive('\n') {
            if !line.ends_with('\n') {
                break;
            }
            self.line(line.trim_end());
            self.scanned += line.len();
        }
        self.border
    }

    fn line(&mut self, line: &str) {
        let fence = Fence::read(line);
        match (self.fence, fence) {
            (Some(open), Some(close)) if close.closes(open, line) => self.fence = None,
            (Some(_), _) => {}
            (None, opened) => {
                if self.blank && begins(line) {
                    self.border = self.scanned;
                }
                self.fence = opened;
            }
        }
        self.blank = line.is_empty() && self.fence.is_none();
    }
}

impl Fence {
    fn read(line: &str) -> Option<Fence> {
        // A fence may open inside of a quote or a list item.
        let text = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = text.chars().take_while(|&c| c == mark).count();
        let info = text.get(length..).unwrap_or_default();
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Fence { mark, length })
    }

    fn closes(self, open: Fence, line: &str) -> bool {
        self.mark == open.mark && self.length >= open.length && line.ends_with(self.mark)
    }
}

/// Whether a line after a blank one begins a block of its own.
fn begins(line: &str) -> bool {
    let Some(first) = line.chars().next() else { return false };
    let item = matches!(first, '-' | '*' | '+')
        && line.get(1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let ordered = number.len() < line.len() && number.starts_with(['.', ')']);
    !(first.is_whitespace() || first == '>' || item || ordered)
}
