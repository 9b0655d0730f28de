//! What is still in progress: the last rows of reasoning and reply, the commands that run.

use super::acts::title;
use super::{Look, Talk};
use crate::block::{Block, State};
use crate::deed::Deed;
use crate::safe;
use crate::screen::{Gone, fit};
use crate::style::Line;

/// Rows of the output of a running command.
const TAIL: usize = 5;
const THOUGHT: usize = 5;

impl Talk {
    /// Whether words of the model are coming in.
    pub fn is_streaming(&self) -> bool {
        !self.reply.is_empty() || !self.thought.is_empty()
    }

    /// Whether what is shown next needs a blank line before it.
    pub fn wants_gap(&self) -> bool {
        self.paper.wants_gap() && !self.reply.goes_on()
    }

    /// The first rows of what was shown as in progress are in the scrollback now.
    pub fn went(&mut self, gone: Gone) {
        if self.thought.is_empty() && !self.reply.is_empty() {
            self.reply.went(gone);
        }
    }

    /// The rows of what is in progress, at most `most`.
    pub fn live(&mut self, most: usize, look: &Look) -> Vec<Line> {
        let Look { palette, columns } = look;
        let mut lines = Vec::new();
        if !self.thought.is_empty() {
            let style = palette.fit(palette.dim.italic());
            lines.extend(self.thought.tail(THOUGHT.min(most), *columns, style));
        }
        if !self.reply.is_empty() {
            let joint = self.joint();
            let full = self.reply.overflow(most, *columns, palette);
            self.print_reply(full, joint);
            let tail = self.reply.tail(most, *columns, palette.text);
            // Blank rows at the end would make what stands below jump up and down.
            let kept = tail.iter().rposition(|line| !line.text().trim().is_empty()).map_or(0, |at| at + 1);
            lines.extend(tail.into_iter().take(kept));
        }
        for running in &self.running {
            match &running.deed {
                Deed::Commands(commands) if self.asked.as_ref() != Some(&running.call) => {
                    let command = commands.join("\n");
                    let block = Block {
                        command: &command,
                        output: &running.output,
                        state: State::Running,
                        note: None,
                    };
                    lines.extend(block.tail(TAIL, *columns, palette));
                }
                Deed::Commands(_) => {
                    let block =
                        Block { command: "", output: &running.output, state: State::Running, note: None };
                    lines.extend(block.tail(TAIL, *columns, palette).into_iter().skip(1));
                }
                deed => lines.push(fit(&Line::styled(title(deed), palette.dim), *columns)),
            }
        }
        if let Some(notice) = &self.notice {
            lines.push(fit(&Line::styled(safe::single(notice), palette.warning), *columns));
        }
        let hidden = lines.len().saturating_sub(most);
        lines.split_off(hidden)
    }
}
