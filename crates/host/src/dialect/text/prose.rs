//! The words around the blocks of a reply. Start at [`Prose::line`].

use super::body::{fence, is_bare};

/// Collects the lines outside of blocks, without the fences that held nothing but blocks.
#[derive(Debug, Default)]
pub(super) struct Prose<'a> {
    lines: Vec<&'a str>,
    fence: Option<Fence>,
}

/// A fence that is open: where it stands among the lines, and what it has held so far.
#[derive(Debug)]
struct Fence {
    at: usize,
    blocks: usize,
    words: usize,
}

impl Fence {
    fn held_only_blocks(&self) -> bool {
        self.blocks > 0 && self.words == 0
    }
}

impl<'a> Prose<'a> {
    pub(super) fn line(&mut self, line: &'a str) {
        let line = line.trim_end();
        let start = line.trim_start();
        match &mut self.fence {
            Some(open) if is_bare(start) => {
                let (at, drop) = (open.at, open.held_only_blocks());
                self.fence = None;
                if drop {
                    return self.lines.truncate(at);
                }
            }
            Some(open) => open.words += usize::from(!start.is_empty()),
            None if fence(start).is_some() => {
                self.fence = Some(Fence { at: self.lines.len(), blocks: 0, words: 0 });
            }
            None => {}
        }
        self.lines.push(line);
    }

    /// A block stood here.
    pub(super) fn block(&mut self) {
        if let Some(open) = &mut self.fence {
            open.blocks += 1;
        }
    }

    pub(super) fn finish(mut self) -> String {
        if let Some(open) = self.fence.filter(Fence::held_only_blocks) {
            self.lines.truncate(open.at);
        }
        self.lines.join("\n").trim().to_owned()
    }
}
