//! Piles of goroutines at one lock.

use super::MANY;
use crate::leak::blocking::{function, user_frame};
use crate::leak::checks::{Check, a_dump, goroutines, words};
use crate::leak::finding::{Level, Tier};
use crate::leak::scene::{Draft, Group, Member, Scene};
use crate::profile::{InputId, Kind, SampleId};
use std::collections::{BTreeMap, BTreeSet};

pub(in crate::leak) const CHECK: Check = Check {
    name: "lock-pile-up",
    tier: Tier::Shape,
    about: "many goroutines that wait for one mutex or RWMutex, and who may hold it",
    explanation: "\
Ten goroutines or more of a process that wait for a lock at one place are noted: somebody keeps it,
works long under it, or never unlocks it.

Go doesn't say who holds a lock. In debug=2 and crash texts the arguments of calls tell what the
waiting goroutines wait for, and what the methods on every stack were called on. Candidates for the
holder are goroutines that don't wait for this lock and stand in a method of what all the waiting
ones stand in a method of, or of what the lock is the first field of (`by address`); where no
addresses are printed, or none fits, those that stand in the same function without waiting (`by
function`). The fact `holders` names up to five. Where there is no candidate, whoever locked has
gone without unlocking, or holds the lock somewhere that no method shows.",
    needs: a_dump,
    run,
};

/// Candidates that are named.
const NAMED: usize = 5;

fn run(scene: &Scene<'_>) -> Vec<Draft> {
    let Some(last) = scene.last() else { return Vec::new() };
    let mut drafts = Vec::new();
    for (at, group) in scene.groups.iter().enumerate() {
        let waits = |member: &Member| member.open() && member.point == last;
        let lock = matches!(group.kind, Kind::Mutex | Kind::RwMutexR | Kind::RwMutexW);
        if !lock || group.most(last, waits) < MANY {
            continue;
        }
        let mut draft = scene.draft(CHECK.name, Level::Note, CHECK.tier, at, waits);
        let all = goroutines(draft.count());
        draft.finding.text = format!("{all} of {} wait for a lock", scene.called(group));
        let holders = match holders(scene, group, last) {
            Holders::Unknown => "unknown: these formats don't tell".to_owned(),
            Holders::None => "no candidate".to_owned(),
            Holders::Some(list) => list,
        };
        drafts.push(draft.fact("holders", words(holders)));
    }
    drafts
}

/// What is known of who holds a lock.
enum Holders {
    Unknown,
    None,
    Some(String),
}

fn holders(scene: &Scene<'_>, group: &Group, last: usize) -> Holders {
    let profile = scene.profile;
    if profile.goroutines.is_empty() {
        return Holders::Unknown;
    }
    let waiting: BTreeSet<SampleId> =
        group.members.iter().filter(|one| one.point == last).map(|one| one.sample).collect();
    let mut piles: BTreeMap<(InputId, Option<u64>), Vec<usize>> = BTreeMap::new();
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        if waiting.contains(&goroutine.sample) {
            let input = profile.sample(goroutine.sample).key.input;
            piles.entry((input, lock_of(scene, at))).or_default().push(at);
        }
    }
    // The largest pile is what is looked at; of equals the first.
    let largest = piles.into_iter().min_by_key(|(place, pile)| (usize::MAX - pile.len(), *place));
    let Some(((input, lock), pile)) = largest else { return Holders::Unknown };
    let others: Vec<usize> = (0..profile.goroutines.len())
        .filter(|&at| {
            let sample = profile.goroutines[at].sample;
            let elsewhere = match lock {
                Some(lock) => lock_of(scene, at) != Some(lock),
                None => !waiting.contains(&sample),
            };
            profile.sample(sample).key.input == input && elsewhere
        })
        .collect();
    let by_address = owners(scene, &pile, lock).into_iter().find_map(|owner| {
        let stands = |at: &usize| scene.profile.objects(*at).contains(&owner);
        name(scene, others.iter().copied().filter(stands).collect(), "by address")
    });
    by_address
        .or_else(|| {
            let place = profile.goroutines[*pile.first()?].sample;
            let wanted = function(profile, user_frame(profile, profile.sample(place).key.stack)?);
            let same = others.into_iter().filter(|&at| {
                let key = &profile.sample(profile.goroutines[at].sample).key;
                let mut frames = profile.stack(key.stack).iter();
                let waits_too = matches!(key.kind, Kind::Mutex | Kind::RwMutexR | Kind::RwMutexW);
                !waits_too && frames.any(|&frame| function(profile, frame) == wanted)
            });
            name(scene, same.collect(), "by function")
        })
        .map_or(Holders::None, Holders::Some)
}

/// The address of the lock that a goroutine waits for.
fn lock_of(scene: &Scene<'_>, goroutine: usize) -> Option<u64> {
    scene.profile.receivers.get(goroutine)?.word().map(|(word, _)| word)
}

/// The lock, since as the first field of something it has that one's address, and what all of a pile
/// stand in a method of: the nearest first, which is more likely to be what the lock is in.
fn owners(scene: &Scene<'_>, pile: &[usize], lock: Option<u64>) -> Vec<u64> {
    let Some((&first, rest)) = pile.split_first() else { return Vec::new() };
    let of_all = |object: &u64| rest.iter().all(|&at| scene.profile.objects(at).contains(object));
    let common = scene.profile.objects(first).iter().copied().filter(of_all);
    lock.into_iter().chain(common).collect()
}

/// `goroutine 17 in kv.(*Store).flush (by address)`
fn name(scene: &Scene<'_>, mut candidates: Vec<usize>, how: &str) -> Option<String> {
    let profile = scene.profile;
    candidates.sort_by_key(|&at| profile.goroutines[at].id);
    let shown = candidates.iter().take(NAMED).map(|&at| {
        let goroutine = &profile.goroutines[at];
        let stack = profile.sample(goroutine.sample).key.stack;
        let frame = user_frame(profile, stack).map_or(&b"?"[..], |frame| scene.names.func(frame));
        format!("goroutine {} in {}", goroutine.id, String::from_utf8_lossy(frame))
    });
    let shown: Vec<String> = shown.collect();
    let more = match candidates.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("{}{more} ({how})", shown.join(", ")))
}

#[cfg(test)]
mod tests {
    use crate::format::{ReadOptions, read};
    use crate::leak::{Date, Fact, Options, Review};
    use crate::profile::{Input, InputFormat, Keep, ProfileBuilder};
    use crate::rules::RuleSet;
    use crate::view::points::{Layout, Points};
    use crate::view::sketch::all;

    const HOLDER: &str = "goroutine 7 [sleep]:\ntime.Sleep(0x1)\n\t/s/time.go:1 +0x1\nmain.(*Store).flush(0xc000010000)\n\t/s/main.go:9 +0x1\n\n";
    const BYSTANDER: &str = "goroutine 8 [sleep]:\ntime.Sleep(0x1)\n\t/s/time.go:1 +0x1\nmain.(*Store).flush(0xc000077000)\n\t/s/main.go:9 +0x1\n\n";

    /// What is said of a dump in which ten wait for the lock of 0xc000010000, at its offset 8.
    fn holders(others: &str) -> Option<String> {
        let mut text = others.to_owned();
        for id in 10..20 {
            text += &format!(
                "goroutine {id} [sync.Mutex.Lock]:\nsync.(*Mutex).Lock(0xc000010008)\n\t/s/mutex.go:1 +0x1\nmain.(*Store).get(0xc000010000, 0x{id})\n\t/s/main.go:5 +0x1\nmain.(*Server).run(0xc000099000)\n\t/s/main.go:7 +0x1\n\n"
            );
        }
        let mut builder = ProfileBuilder::new(Keep { goroutines: true, receivers: true });
        let input = Input::new("n1", "n1", InputFormat::Debug2);
        read(&mut text.as_bytes(), input, &mut ReadOptions::default(), &mut builder).unwrap();
        let mut profile = builder.finish();
        let names = RuleSet::default().apply(&profile);
        let points = Points::arrange(&mut profile, Layout::Arguments, &["n1".to_owned()]);
        let options = Options::new(Date::read("2026-11-21").unwrap());
        let review = Review::new(&profile, &names, &all(&profile), &points, &options);
        let finding = review.findings.into_iter().find(|one| one.check == super::CHECK.name)?;
        match finding.facts.get("holders")? {
            Fact::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    #[test]
    fn the_holder_stands_in_a_method_of_the_same_object() {
        let text = [HOLDER, BYSTANDER].concat();
        assert_eq!(holders(&text).unwrap(), "goroutine 7 in main.(*Store).flush (by address)");
    }

    #[test]
    fn the_nearest_object_tells_more_than_what_all_share() {
        let server = HOLDER
            .replace("goroutine 7", "goroutine 9")
            .replace("(*Store).flush(0xc000010000)", "(*Server).stop(0xc000099000)");
        let text = [HOLDER, &server].concat();
        assert_eq!(holders(&text).unwrap(), "goroutine 7 in main.(*Store).flush (by address)");
        assert_eq!(holders(&server).unwrap(), "goroutine 9 in main.(*Server).stop (by address)");
    }

    #[test]
    fn without_an_address_that_fits_the_same_function_is_a_hint() {
        let same = HOLDER.replace("flush(0xc000010000)", "get(...)");
        assert_eq!(holders(&same).unwrap(), "goroutine 7 in main.(*Store).get (by function)");
        assert_eq!(holders(BYSTANDER).unwrap(), "no candidate");
    }
}
