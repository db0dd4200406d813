//! Rules at work on one profile.

use super::category::{CategoryMemo, Chosen};
use super::distinct::DuplicateNames;
use super::memo::Memo;
use super::name::{NameMemo, Step};
use super::{Compiled, Names};
use crate::profile::{Profile, StackId, StrId};
use std::ops::Deref;
use std::sync::Arc;

/// Names the frames and stacks of a profile, asking every rule once for each function.
///
/// Equal names of stacks are told apart when that is asked for: in a dump of mostly distinct stacks
/// it takes twice as long as all else that names take, and most tables show few of them.
#[derive(Debug)]
pub struct Namer {
    pub(super) names: Names,
    rules: Arc<Compiled>,
    duplicates: DuplicateNames,
    name_memo: NameMemo,
    category_memo: CategoryMemo,
    /// What [`Namer::further`] said.
    further: Memo<Option<StrId>>,
    /// The functions of the stack in hand.
    funcs: Vec<StrId>,
}

impl Deref for Namer {
    type Target = Names;

    fn deref(&self) -> &Names {
        &self.names
    }
}

impl Namer {
    /// Trims every frame.
    pub(super) fn new(rules: &Arc<Compiled>, profile: &Profile) -> Namer {
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
            rules: Arc::clone(rules),
            duplicates: DuplicateNames::default(),
            name_memo: NameMemo::default(),
            category_memo: CategoryMemo::default(),
            further: Memo::default(),
            funcs: Vec::new(),
        }
    }

    /// Names every stack.
    pub(super) fn name_stacks(&mut self, profile: &Profile) {
        // The outermost frame that each name tells of.
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
        }
        if self.rules.distinct {
            self.duplicates = DuplicateNames::new(&mut self.names, profile, outermost);
        }
    }

    /// Tells the names of these stacks apart from all others of their category.
    pub fn disambiguate(&mut self, profile: &Profile, stacks: impl IntoIterator<Item = StackId>) {
        let mut duplicates = std::mem::take(&mut self.duplicates);
        for stack in stacks {
            if let Some(group) = duplicates.group(&self.names, stack) {
                duplicates.disambiguate(self, profile, group);
            }
        }
        self.duplicates = duplicates;
    }

    /// Tells all names apart.
    pub fn disambiguate_all(&mut self, profile: &Profile) {
        let mut duplicates = std::mem::take(&mut self.duplicates);
        for group in duplicates.groups() {
            duplicates.disambiguate(self, profile, group);
        }
    }

    /// The names.
    pub fn into_names(self) -> Names {
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
        let texts = &mut self.names.texts;
        self.rules.name.name(&self.funcs, texts, &mut self.name_memo, step)
    }

    /// The category of a stack, and what told it.
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
