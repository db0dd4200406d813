// Writes profiles that Go's runtime doesn't, but other programs do, into the folder that is named.
package main

import (
	"os"
	"path/filepath"

	"github.com/google/pprof/profile"
)

func main() {
	write("mappings", mappings())
	write("labels", labels())
	write("delta", delta())
	write("bare", bare())
}

func write(name string, made *profile.Profile) {
	file, err := os.Create(filepath.Join(os.Args[1], name+".pb.gz"))
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if err := made.CheckValid(); err != nil {
		panic(err)
	}
	if err := made.Write(file); err != nil {
		panic(err)
	}
}

// mappings has code of two files and of none, functions that were inlined into each other, columns,
// folded addresses, and all that a head can hold.
func mappings() *profile.Profile {
	program := &profile.Mapping{ID: 1, Start: 0x400000, Limit: 0x500000, File: "/bin/shop",
		BuildID: "4d5e6f", HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}
	library := &profile.Mapping{ID: 2, Start: 0x7f0000000000, Limit: 0x7f0000100000, Offset: 0x2000,
		File: "/lib/libc.so.6", BuildID: "abcdef"}
	outer := &profile.Function{ID: 3, Name: "main.outer", SystemName: "main.outer", Filename: "main.go", StartLine: 10}
	middle := &profile.Function{ID: 9, Name: "main.middle[...]", SystemName: "main.middle[go.shape.int]", Filename: "main.go", StartLine: 20}
	inner := &profile.Function{ID: 4, Name: "main.inner", SystemName: "main.inner", Filename: "inner.go"}
	inlined := &profile.Location{ID: 2, Mapping: program, Address: 0x401234, Line: []profile.Line{
		{Function: inner, Line: 3, Column: 7}, {Function: middle, Line: 22}, {Function: outer, Line: 11, Column: 2}}}
	plain := &profile.Location{ID: 1, Mapping: program, Address: 0x402000, IsFolded: true,
		Line: []profile.Line{{Function: outer, Line: 12}}}
	native := &profile.Location{ID: 3, Mapping: library, Address: 0x7f0000001000}
	nowhere := &profile.Location{ID: 4, Address: 0xffffffffff600000}
	unused := &profile.Location{ID: 5, Mapping: library, Address: 0x7f0000002000}
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		// Of the two it isn't the last.
		DefaultSampleType: "samples",
		Sample: []*profile.Sample{
			{Location: []*profile.Location{inlined, plain}, Value: []int64{3, 30_000_000}},
			{Location: []*profile.Location{native, inlined, plain}, Value: []int64{1, 10_000_000}},
			{Location: []*profile.Location{nowhere}, Value: []int64{2, 20_000_000}},
			{Location: []*profile.Location{plain, plain}, Value: []int64{0, 5}},
			{Value: []int64{1, 7}},
		},
		Mapping:       []*profile.Mapping{program, library},
		Location:      []*profile.Location{plain, inlined, native, nowhere, unused},
		Function:      []*profile.Function{outer, middle, inner},
		Comments:      []string{"shop 1.2", "taken by hand", "shop 1.2"},
		DropFrames:    `runtime\..*`,
		KeepFrames:    `runtime\.main`,
		TimeNanos:     1_700_000_000_000_000_000,
		DurationNanos: 10_000_000_000,
		PeriodType:    &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:        10_000_000,
	}
}

// labels has texts and numbers, several of one key, with units and without, and empty ones.
func labels() *profile.Profile {
	made := simple()
	made.Sample[0].Label = map[string][]string{"tenant": {"acme", "apex"}, "empty": {""}, "größe": {"\"quoted\"\n"}}
	made.Sample[0].NumLabel = map[string][]int64{"bytes": {512, 1024}, "latency": {5, 250}, "zero": {0}}
	made.Sample[0].NumUnit = map[string][]string{"bytes": {"bytes", "bytes"}, "latency": {"seconds", "milliseconds"}}
	made.Sample[1].Label = map[string][]string{"tenant": {"apex"}}
	made.Sample[1].NumLabel = map[string][]int64{"bytes": {-1}}
	return made
}

// delta has values below zero, as the difference of two profiles.
func delta() *profile.Profile {
	made := simple()
	made.Sample[0].Value = []int64{-3, -4096}
	made.Sample[1].Value = []int64{9_223_372_036_854_775_807, -9_223_372_036_854_775_808}
	return made
}

// bare has neither addresses nor mappings nor a period.
func bare() *profile.Profile {
	made := simple()
	made.Mapping = nil
	for _, location := range made.Location {
		location.Mapping = nil
		location.Address = 0
	}
	made.PeriodType, made.Period = nil, 0
	return made
}

func simple() *profile.Profile {
	program := &profile.Mapping{ID: 1, File: "/bin/shop", HasFunctions: true}
	grow := &profile.Function{ID: 1, Name: "main.grow", SystemName: "main.grow", Filename: "main.go"}
	keep := &profile.Function{ID: 2, Name: "main.keep", SystemName: "main.keep", Filename: "main.go"}
	at := func(id uint64, function *profile.Function, line int64) *profile.Location {
		return &profile.Location{ID: id, Mapping: program, Address: id * 16, Line: []profile.Line{{Function: function, Line: line}}}
	}
	first, second := at(1, grow, 4), at(2, keep, 9)
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		Sample: []*profile.Sample{
			{Location: []*profile.Location{first, second}, Value: []int64{3, 4096}},
			{Location: []*profile.Location{second}, Value: []int64{1, 512}},
		},
		Mapping:    []*profile.Mapping{program},
		Location:   []*profile.Location{first, second},
		Function:   []*profile.Function{grow, keep},
		PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"},
		Period:     524288,
	}
}
