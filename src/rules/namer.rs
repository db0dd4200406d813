//! Rules at work on one profile.

use super::category::{CategoryMemo, Chosen};
use super::funcs::Funcs;
use super::memo::Memo;
use super::name::{NameMemo, Step};
use super::simple::Contents;
use super::{Compiled, Names, distinct};
use crate::profile::{Profile, StackId, StrId};

/// Names the frames and stacks of a profile, asking every rule once for each function.
#[derive(Debug)]
pub(super) struct Namer<'r> {
    pub(super) names: Names,
    rules: &'r Compiled,
    /// What the functions are made of.
    contents: Memo<Contents>,
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
        // Trimmed functions and files, and a name or two for each stack, as far as there is no doubt.
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
            rules,
            contents: Memo::default(),
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
        let funcs = &mut Funcs { texts: &mut self.names.texts, contents: &mut self.contents };
        self.rules.name.name(&self.funcs, funcs, &mut self.name_memo, step)
    }

    /// The category of a stack, and what told it.
    pub(super) fn category(&mut self, profile: &Profile, stack: StackId) -> Chosen {
        self.load(profile, stack);
        self.category_of_loaded()
    }

    fn category_of_loaded(&mut self) -> Chosen {
        let funcs = &mut Funcs { texts: &mut self.names.texts, contents: &mut self.contents };
        self.rules.category.category(&self.funcs, funcs, &mut self.category_memo)
    }

    /// The rule of `category.skip` that skips a frame of a stack.
    pub(super) fn category_skip(
        &mut self,
        profile: &Profile,
        stack: StackId,
        at: usize,
    ) -> Option<usize> {
        let func = self.names.frames[profile.stack(stack)[at].index()].0;
        let funcs = &mut Funcs { texts: &mut self.names.texts, contents: &mut self.contents };
        self.rules.category.skip(func, funcs, &mut self.category_memo)
    }

    /// A function as it stands in names, unless it tells nothing of what a stack is doing or where
    /// it comes from.
    pub(super) fn further(&mut self, func: StrId) -> Option<StrId> {
        if let Some(known) = self.further.get(func) {
            return known;
        }
        let funcs = &mut Funcs { texts: &mut self.names.texts, contents: &mut self.contents };
        let tells = self.rules.name.skip(func, funcs, &mut self.name_memo).is_none()
            && self.rules.category.skip(func, funcs, &mut self.category_memo).is_none();
        let part = tells.then(|| self.rules.name.taken(func, funcs, &mut self.name_memo));
        self.further.set(func, part)
    }
}
