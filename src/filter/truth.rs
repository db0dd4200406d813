//! What is known of a condition, and conditions put together.

/// What is known of a condition at some level: for a whole group, or for one goroutine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Truth {
    /// It doesn't hold.
    No,
    /// It holds.
    Yes,
    /// It can never be told, because the wait isn't known.
    Unknown,
    /// It differs from goroutine to goroutine: only looking at each tells.
    Undecided,
}

impl Truth {
    pub(super) fn of(holds: bool) -> Truth {
        if holds { Truth::Yes } else { Truth::No }
    }

    fn not(self) -> Truth {
        match self {
            Truth::No => Truth::Yes,
            Truth::Yes => Truth::No,
            other => other,
        }
    }
}

/// Predicates, by position in the filter's list, put together.
///
/// Both lists may be empty: all of nothing holds, any of nothing doesn't.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Holds(usize),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

impl Condition {
    pub(super) fn negated(self) -> Condition {
        match self {
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// Kleene's logic: what isn't known stays so unless the rest decides alone.
    ///
    /// A goroutine for which the answer is `Unknown` would have been decided by its wait, and by
    /// nothing else. `Undecided` wins over `Unknown`: looking closer may still decide alone.
    pub(super) fn eval(&self, ask: &mut dyn FnMut(usize) -> Truth) -> Truth {
        match self {
            Condition::Holds(at) => ask(*at),
            Condition::Not(inner) => inner.eval(ask).not(),
            Condition::All(list) => combine(list, Truth::No, Truth::Yes, ask),
            Condition::Any(list) => combine(list, Truth::Yes, Truth::No, ask),
        }
    }
}

/// `decides` ends it; `otherwise` is the answer when nothing stands against it.
fn combine(
    list: &[Condition],
    decides: Truth,
    otherwise: Truth,
    ask: &mut dyn FnMut(usize) -> Truth,
) -> Truth {
    let mut result = otherwise;
    for condition in list {
        match condition.eval(ask) {
            truth if truth == decides => return decides,
            Truth::Undecided => result = Truth::Undecided,
            Truth::Unknown if result != Truth::Undecided => result = Truth::Unknown,
            _ => {}
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use Truth::{No, Undecided, Unknown, Yes};

    fn both(a: Truth, b: Truth) -> (Truth, Truth) {
        let tests = vec![Condition::Holds(0), Condition::Holds(1)];
        let mut value = |at: usize| [a, b][at];
        (Condition::All(tests.clone()).eval(&mut value), Condition::Any(tests).eval(&mut value))
    }

    #[test]
    fn what_is_not_known_stays_so_unless_the_rest_decides() {
        for (a, b, all, any) in [
            (Yes, Yes, Yes, Yes),
            (Yes, No, No, Yes),
            (No, No, No, No),
            (Unknown, Yes, Unknown, Yes),
            (Unknown, No, No, Unknown),
            (Unknown, Unknown, Unknown, Unknown),
            (Undecided, Yes, Undecided, Yes),
            (Undecided, No, No, Undecided),
            (Undecided, Unknown, Undecided, Undecided),
        ] {
            assert_eq!(both(a, b), (all, any), "{a:?} {b:?}");
            assert_eq!(both(b, a), (all, any), "{b:?} {a:?}");
        }
    }

    #[test]
    fn all_of_nothing_holds_and_any_of_nothing_does_not() {
        assert_eq!(Condition::All(vec![]).eval(&mut |_| No), Yes);
        assert_eq!(Condition::Any(vec![]).eval(&mut |_| Yes), No);
    }
}
