//! Applies rules to one profile.

use super::category::{CategoryMemo, Chosen};
use super::distinct::{Candidates, DistinctNames};
use super::memo::Memo;
use super::name::{NameMemo, Step};
use super::{Compiled, Names};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::profile::{Profile, StackId, StrId};
use std::sync::Arc;

/// Names the frames and stacks of a profile, trying every rule once for each function.
#[derive(Debug)]
pub(super) struct Namer {
    pub(super) names: Names,
    rules: Arc<Compiled>,
    name_memo: NameMemo,
    category_memo: CategoryMemo,
    /// The functions of the current stack.
    funcs: Vec<StrId>,
}

impl Namer {
    /// Trims every frame.
    pub(super) fn new(rules: &Arc<Compiled>, profile: &Profile) -> Namer {
        let mut names = Names::default();
        names.frames.reserve_exact(profile.frames().len());
        // Enough for trimmed functions and files, and a name or two for each stack.
        let (frames, stacks) = (profile.frames().len(), profile.stack_count());
        let texts = (frames + stacks).min(1 << 13);
        names.texts.reserve(texts, (32 * frames + 96 * stacks).min(1 << 20));
        let (mut funcs, mut files) = (Memo::default(), Memo::default());
        for frame in profile.frames() {
            let func = funcs.get(frame.func).unwrap_or_else(|| {
                let text = rules.trim_func.apply(profile.str(frame.func), |_| {});
                funcs.set(frame.func, names.texts.intern(text))
            });
            let file = files.get(frame.file).unwrap_or_else(|| {
                let text = rules.trim_file.apply(profile.str(frame.file), |_| {});
                files.set(frame.file, names.texts.intern(text))
            });
            names.frames.push((func, file));
        }
        Namer {
            names,
            rules: Arc::clone(rules),
            name_memo: NameMemo::default(),
            category_memo: CategoryMemo::default(),
            funcs: Vec::new(),
        }
    }

    /// Names every stack.
    ///
    /// # Errors
    /// If the names are longer than [`names_from`](crate::limits::Limits::names_from) and
    /// [`names_average`](crate::limits::Limits::names_average) allow.
    pub(super) fn name_stacks(mut self, profile: &Profile) -> Result<Names> {
        // Each stack shows its name, also one that others share, and gets one of its own if it is made distinct.
        let mut bytes = 0;
        // The outermost frame that is part of each name.
        let mut outermost = Vec::with_capacity(profile.stack_count());
        self.names.stacks.reserve_exact(profile.stack_count());
        for at in 0..profile.stack_count() {
            let stack = StackId(at as u32);
            let mut last = 0;
            let name = self.name_with(profile, stack, |at, step| {
                if !matches!(step, Step::Skip(_)) {
                    last = at;
                }
            });
            outermost.push(last as u32);
            let category = self.category_of_loaded().category;
            self.names.stacks.push((name, category));
            bytes += self.names.text(name).len() + self.names.text(category).len();
            check_names(bytes, profile.stack_count())?;
        }
        let Namer { mut names, rules, name_memo, category_memo, .. } = self;
        if rules.distinct {
            let candidates = Candidates::new(rules, name_memo, category_memo);
            names.distinct = Some(DistinctNames::new(&names, profile, outermost, candidates));
        }
        Ok(names)
    }

    fn load(&mut self, profile: &Profile, stack: StackId) {
        let frames = profile.stack(stack).iter();
        self.funcs.clear();
        self.funcs.extend(frames.map(|frame| self.names.frames[frame.index()].0));
    }

    /// The name of a stack; calls `step` with the role of each frame.
    pub(super) fn name_with(
        &mut self,
        profile: &Profile,
        stack: StackId,
        step: impl FnMut(usize, Step),
    ) -> StrId {
        self.load(profile, stack);
        let texts = &mut self.names.texts;
        self.rules.name.name(&self.funcs, texts, &mut self.name_memo, step)
    }

    /// The category of a stack, and which frame and rule decided it.
    pub(super) fn category(&mut self, profile: &Profile, stack: StackId) -> Chosen {
        self.load(profile, stack);
        self.category_of_loaded()
    }

    fn category_of_loaded(&mut self) -> Chosen {
        let texts = &mut self.names.texts;
        self.rules.category.category(&self.funcs, texts, &mut self.category_memo)
    }

    /// The rule of `category.skip` that skips a frame of a stack.
    pub(super) fn category_skip(
        &mut self,
        profile: &Profile,
        stack: StackId,
        at: usize,
    ) -> Option<usize> {
        let func = self.names.frames[profile.stack(stack)[at].index()].0;
        let texts = &mut self.names.texts;
        self.rules.category.skip(func, texts, &mut self.category_memo)
    }
}

/// Checks that the names of all stacks aren't too long together: rules of a few kilobytes can make each of them 4 KiB
/// long, and a stack may have 45 bytes in its dump.
fn check_names(bytes: usize, stacks: usize) -> Result<()> {
    let (from, average) = (LIMITS.names_from, LIMITS.names_average);
    if bytes <= from.max(stacks.saturating_mul(average)) {
        return Ok(());
    }
    let what = format!(
        "names and categories of {stacks} stacks are longer than {from} bytes (names_from) and than {average} for \
        each of them (names_average)"
    );
    Err(Error::new(ErrorKind::Limit, "rules", what)
        .advise("shorten what they put in the place of functions, or give fewer inputs at once if functions are so long"))
}
