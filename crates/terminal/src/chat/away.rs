//! The terminal is somebody else's for a while: the program is stopped, and goes on later.

use super::Chat;
use crate::{Error, guard};
use std::io::Write;

impl<W: Write> Chat<W> {
    pub(super) fn suspend(&mut self) -> Result<(), Error> {
        self.screen.erase()?;
        guard::set_below(0);
        if let Some(guard) = &self.guard {
            self.source.pause();
            guard.suspend()?;
            self.suspended = true;
            self.source.listen(guard.typed_ahead())?;
        }
        self.begin_anew()
    }

    /// The program was stopped and goes on. If it was not asked before, as with `kill -STOP`, the terminal is in a mode
    /// that nobody knows.
    pub(super) fn come_back(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.suspended) {
            return Ok(());
        }
        match &self.guard {
            Some(guard) => guard.back()?,
            None => return Ok(()),
        }
        // The live area was not taken away before.
        self.screen.erase_below()?;
        self.begin_anew()
    }

    /// The cursor stands on a free line, in a window that may have another size.
    fn begin_anew(&mut self) -> Result<(), Error> {
        self.screen.forget();
        match guard::window().filter(|_| self.guard.is_some()) {
            Some(size) => self.fit_window(size),
            None => self.fit_window(self.screen.size()),
        }
    }
}
