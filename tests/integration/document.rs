//! Reads a `stackgazer.export/1` document back into a flat list of goroutines.

use serde_json::Value;
use std::collections::BTreeMap;

/// A frame: function, file, line.
pub(crate) type Frame = (String, String, i64);

/// One goroutine, or a group of them where the input only counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Goroutine {
    pub(crate) input: String,
    pub(crate) category: String,
    pub(crate) name: String,
    pub(crate) stack: String,
    pub(crate) shape: String,
    pub(crate) frames: Vec<Frame>,
    /// Present where Go left frames out; `Null` where it doesn't tell how many.
    pub(crate) elided: Option<Value>,
    pub(crate) state: Option<String>,
    pub(crate) kind: String,
    pub(crate) flags: Vec<String>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) creator: Option<Frame>,
    pub(crate) count: i64,
    pub(crate) id: Option<String>,
    pub(crate) wait: Option<f64>,
    pub(crate) created_by: Option<String>,
    pub(crate) ancestors: Vec<Value>,
}

impl Goroutine {
    pub(crate) fn funcs(&self) -> Vec<&str> {
        self.frames.iter().map(|frame| frame.0.as_str()).collect()
    }

    pub(crate) fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|one| one == flag)
    }

    pub(crate) fn state(&self) -> &str {
        self.state.as_deref().unwrap_or("unknown")
    }
}

/// The document as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) json: Value,
    pub(crate) goroutines: Vec<Goroutine>,
}

impl Document {
    #[track_caller]
    pub(crate) fn new(json: Value) -> Document {
        assert_eq!(json["schema"], "stackgazer.export/1");
        let mut goroutines = Vec::new();
        for category in list(&json["categories"]) {
            for stack in list(&category["stacks"]) {
                for input in list(&stack["inputs"]) {
                    for group in list(&input["groups"]) {
                        read_group(category, stack, input, group, &mut goroutines);
                    }
                }
            }
        }
        Document { json, goroutines }
    }

    /// How many goroutines there are, counted one by one.
    pub(crate) fn count(&self) -> i64 {
        self.goroutines.iter().map(|one| one.count).sum()
    }

    /// Whether all inputs with goroutines were read whole.
    pub(crate) fn is_whole(&self) -> bool {
        let mut inputs = self.inputs().iter().filter(|input| input["goroutines"] != 0);
        inputs.all(|input| input["complete"] == true)
    }

    /// The total that the document itself gives.
    pub(crate) fn total(&self) -> i64 {
        self.json["total"].as_i64().expect("a total")
    }

    pub(crate) fn inputs(&self) -> &[Value] {
        list(&self.json["inputs"])
    }

    /// The only goroutine of this id.
    #[track_caller]
    pub(crate) fn goroutine(&self, id: &str) -> &Goroutine {
        let mut of_id = self.goroutines.iter().filter(|one| one.id.as_deref() == Some(id));
        let found = of_id.next().unwrap_or_else(|| panic!("no goroutine {id}"));
        assert!(of_id.next().is_none(), "several goroutines {id}");
        found
    }

    /// Goroutines by something that each has.
    pub(crate) fn count_by(
        &self,
        key: impl Fn(&Goroutine) -> Vec<String>,
    ) -> BTreeMap<String, i64> {
        let mut counts = BTreeMap::new();
        for one in &self.goroutines {
            for key in key(one) {
                *counts.entry(key).or_default() += one.count;
            }
        }
        counts
    }

    pub(crate) fn states(&self) -> BTreeMap<String, i64> {
        self.count_by(|one| vec![one.state().to_owned()])
    }

    pub(crate) fn flags(&self) -> BTreeMap<String, i64> {
        self.count_by(|one| one.flags.clone())
    }

    pub(crate) fn labels(&self) -> BTreeMap<String, i64> {
        self.count_by(|one| one.labels.iter().map(|(k, v)| format!("{k}={v}")).collect())
    }

    pub(crate) fn stacks(&self) -> BTreeMap<String, i64> {
        self.count_by(|one| vec![one.stack.clone()])
    }

    /// The kinds of warnings of all inputs.
    pub(crate) fn warnings(&self) -> Vec<&str> {
        let warnings = self.inputs().iter().flat_map(|input| list(&input["warnings"]));
        warnings.map(|warning| warning["kind"].as_str().expect("a kind")).collect()
    }
}

/// The items of a list; none where there is no list.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A JSON object of numbers.
pub(crate) fn counts(value: &Value) -> BTreeMap<String, i64> {
    let pairs = value.as_object().into_iter().flatten();
    pairs.map(|(key, count)| (key.clone(), count.as_i64().expect("a count"))).collect()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no string")).to_owned()
}

/// The value of a label; of several values for one key, all.
fn label(value: &Value) -> String {
    match value.as_array() {
        Some(values) => values.iter().map(string).collect::<Vec<_>>().join(","),
        None => string(value),
    }
}

fn frame(value: &Value) -> Frame {
    let file = value["file"].as_str().unwrap_or_default().to_owned();
    (string(&value["func"]), file, value["line"].as_i64().unwrap_or_default())
}

fn read_group(
    category: &Value,
    stack: &Value,
    input: &Value,
    group: &Value,
    into: &mut Vec<Goroutine>,
) {
    let labels = group["labels"].as_object().into_iter().flatten();
    let whole = Goroutine {
        input: string(&input["name"]),
        category: string(&category["name"]),
        name: string(&stack["name"]),
        stack: string(&stack["id"]),
        shape: string(&stack["shape"]),
        frames: list(&stack["frames"]).iter().map(frame).collect(),
        elided: stack.get("elided").cloned(),
        state: group["state"].as_str().map(str::to_owned),
        kind: string(&group["kind"]),
        flags: list(&group["flags"]).iter().map(string).collect(),
        labels: labels.map(|(key, value)| (key.clone(), label(value))).collect(),
        creator: group["created_by"].is_object().then(|| frame(&group["created_by"])),
        count: group["count"].as_i64().expect("a count"),
        id: None,
        wait: None,
        created_by: None,
        ancestors: Vec::new(),
    };
    let Some(singles) = group["goroutines"].as_array() else {
        into.push(whole);
        return;
    };
    assert_eq!(singles.len() as i64, whole.count, "a group counts its goroutines");
    for single in singles {
        into.push(Goroutine {
            count: 1,
            id: Some(string(&single["id"])),
            wait: single["wait_minutes"].as_f64(),
            created_by: single["created_by"].as_str().map(str::to_owned),
            ancestors: list(&single["ancestors"]).to_vec(),
            ..whole.clone()
        });
    }
}
