//! Rules: trimming, categories and names of stacks, names of inputs.
//!
//! Rules run once for each frame or stack of a profile, never for each goroutine.

use crate::profile::{FrameId, Profile, StackId, StrId, Strings};

/// What rules made of a profile: every frame after trimming, every stack's name and category.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Strings,
    frames: Vec<(StrId, StrId)>,
    stacks: Vec<(StrId, StrId)>,
}

impl Names {
    /// A frame's function after trimming.
    pub fn func(&self, frame: FrameId) -> &[u8] {
        self.texts.get(self.frames[frame.index()].0)
    }

    /// A frame's file after trimming.
    pub fn file(&self, frame: FrameId) -> &[u8] {
        self.texts.get(self.frames[frame.index()].1)
    }

    /// A stack's name: what it is doing now.
    pub fn name(&self, stack: StackId) -> &[u8] {
        self.texts.get(self.stacks[stack.index()].0)
    }

    /// A stack's category: where it comes from.
    pub fn category(&self, stack: StackId) -> &[u8] {
        self.texts.get(self.stacks[stack.index()].1)
    }
}

/// Compiled rules.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {}

impl RuleSet {
    /// Names every frame and stack of a profile.
    pub fn apply(&self, profile: &Profile) -> Names {
        let mut names = Names::default();
        for frame in profile.frames() {
            let func = names.texts.intern(profile.str(frame.func));
            let file = names.texts.intern(profile.str(frame.file));
            names.frames.push((func, file));
        }
        names.stacks.resize(profile.stack_count(), (StrId::EMPTY, StrId::EMPTY));
        names
    }
}
