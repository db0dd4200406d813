//! Rules at work on one profile.

use super::category::{CategoryMemo, Chosen};
use super::memo::Memo;
use super::name::{NameMemo, Step};
use super::{Compiled, Names, distinct};
use crate::profile::{Profile, StackId, StrId};

/// Names the frames and stacks of a profile, asking every rule once for each function.
#[derive(Debug)]
pub(super) struct Namer<'r> {
    pub(super) names: Names,
    rules: &'r Compiled,
    name_memo: NameMemo,
    category_memo: CategoryMemo,
    /// What [`Namer::further`] said.
    further: Memo<Option<StrId>>,
    /// The functions of the stack in hand.
    funcs: Vec<StrId>,
}

impl<'r> Namer<'r> {
    /// Trims every frame.
    pub(super) fn new(rules: &'r Compiled, profile: &Profile) -> Namer<'r> {
        let mut names = Names::default();
        names.frames.reserve_exact(profile.frames().len());
        // Trimmed functions and files, and a name for each stack: about as many, up to some thousands.
        let texts = profile.frames().len().min(1 << 12);
        names.texts.reserve(texts, texts.saturating_mul(32));
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
            rules,
            name_memo: NameMemo::default(),
            category_memo: CategoryMemo::default(),
            further: Memo::default(),
            funcs: Vec::new(),
        }
    }

    /// Names every stack.
    pub(super) fn run(mut self, profile: &Profile) -> Names {
        // The outermost frame that each name tells of.
        let mut told = Vec::with_capacity(profile.stack_count());
        self.names.stacks.reserve_exact(profile.stack_count());
        for at in 0..profile.stack_count() {
            let stack = StackId(at as u32);
            let mut last = 0;
            let name = self.name_with(profile, stack, |at, step| {
                if !matches!(step, Step::Skip(_)) {
                    last = at;
                }
            });
            told.push(last as u32);
            let category = self.category_of_loaded().category;
            self.names.stacks.push((name, category));
        }
        if self.rules.distinct {
            distinct::tell_apart(&mut self, profile, &told);
        }
        self.names
    }

    fn load(&mut self, profile: &Profile, stack: StackId) {
        let frames = profile.stack(stack).iter();
        self.funcs.clear();
        self.funcs.extend(frames.map(|frame| self.names.frames[frame.index()].0));
    }

    /// The name of a stack; `step` is told what became of each frame.
    pub(super) fn name_with(
        &mut self,
        profile: &Profile,
        stack: StackId,
        step: impl FnMut(usize, Step),
    ) -> StrId {
        self.load(profile, stack);
        self.rules.name.name(&self.funcs, &mut self.names.texts, &mut self.name_memo, step)
    }

    /// The category of a stack, and what told it.
    pub(super) fn category(&mut self, profile: &Profile, stack: StackId) -> Chosen {
        self.load(profile, stack);
        self.category_of_loaded()
    }

    fn category_of_loaded(&mut self) -> Chosen {
        let rules = &self.rules.category;
        rules.category(&self.funcs, &mut self.names.texts, &mut self.category_memo)
    }

    /// The rule of `category.skip` that skips a frame of a stack.
    pub(super) fn category_skip(
        &mut self,
        profile: &Profile,
        stack: StackId,
        at: usize,
    ) -> Option<usize> {
        let func = self.names.frames[profile.stack(stack)[at].index()].0;
        self.rules.category.skip(func, &self.names.texts, &mut self.category_memo)
    }

    /// A function as it stands in names, unless it tells nothing of what a stack is doing or where
    /// it comes from.
    pub(super) fn further(&mut self, func: StrId) -> Option<StrId> {
        if let Some(known) = self.further.get(func) {
            return known;
        }
        let texts = &mut self.names.texts;
        let tells = self.rules.name.skip(func, texts, &mut self.name_memo).is_none()
            && self.rules.category.skip(func, texts, &mut self.category_memo).is_none();
        let part = tells.then(|| self.rules.name.taken(func, texts, &mut self.name_memo));
        self.further.set(func, part)
    }
}
