//! Truth values, and conditions that combine predicates.

/// The value of a condition for a whole group, or for one goroutine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Truth {
    /// It doesn't hold.
    No,
    /// It holds.
    Yes,
    /// It can't be decided, because the wait isn't known.
    Unknown,
    /// It differs between goroutines: each has to be tested.
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

/// A combination of predicates, which are positions in the filter's list.
///
/// Lists can be empty: all of nothing is true, any of nothing is false.
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

    /// Evaluates it by Kleene's logic: an unknown value stays so unless the rest decides the result.
    ///
    /// `Unknown` means that only the goroutine's wait would have decided. `Undecided` wins over
    /// `Unknown`: testing single goroutines can still decide the result.
    pub(super) fn eval(&self, ask: &mut dyn FnMut(usize) -> Truth) -> Truth {
        match self {
            Condition::Holds(at) => ask(*at),
            Condition::Not(inner) => inner.eval(ask).not(),
            Condition::All(list) => combine(list, Truth::No, Truth::Yes, ask),
            Condition::Any(list) => combine(list, Truth::Yes, Truth::No, ask),
        }
    }
}

/// `decides` ends the evaluation; `otherwise` is the result if no condition has another value.
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
