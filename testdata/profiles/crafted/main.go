// Crafted writes profiles such as Go itself doesn't write, but other tools do: frames to be dropped
// and kept, functions without names, numbers with units in labels, means, columns, addresses in more
// than one mapped file, and the same process at another address.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/pprof/profile"
)

func main() {
	for round := int64(1); round <= 2; round++ {
		file, err := os.Create(filepath.Join(os.Args[1], fmt.Sprintf("crafted.%d.pb.gz", round)))
		check(err)
		check(craft(round).Write(file))
		check(file.Close())
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// craft makes a profile whose second round is that of another process.
func craft(round int64) *profile.Profile {
	start := uint64(0x400000 * round)
	mill := &profile.Mapping{ID: 1, Start: start, Limit: start + 0x10000, File: "/opt/mill/bin/mill", HasFunctions: true}
	libc := &profile.Mapping{ID: 2, Start: 0x7f0000000000, Limit: 0x7f0000020000, File: "/lib/x86_64/libc.so.6"}
	anonymous := &profile.Mapping{ID: 3, Start: 0x7f8000000000, Limit: 0x7f8000001000}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{
			{Type: "requests", Unit: "count"}, {Type: "latency", Unit: "microseconds"}, {Type: "sent", Unit: "kilobytes"},
		},
		DefaultSampleType: "latency",
		PeriodType:        &profile.ValueType{Type: "latency", Unit: "microseconds"},
		Period:            1,
		TimeNanos:         1700000000000000000 + round,
		DurationNanos:     5e9,
		Comments:          []string{"a mill, crafted"},
		DropFrames:        `mill::alloc.*|operator new|helper\..*`,
		KeepFrames:        `mill::alloc_page|helper\.Keep.*`,
		Mapping:           []*profile.Mapping{mill, libc, anonymous},
	}
	functions := map[string]*profile.Function{}
	line := func(name, file string, number int64) profile.Line {
		function := functions[name+file]
		if function == nil {
			function = &profile.Function{ID: uint64(len(functions) + 1), Name: name, SystemName: name, Filename: file}
			functions[name+file] = function
			p.Function = append(p.Function, function)
		}
		return profile.Line{Function: function, Line: number, Column: number % 3}
	}
	location := func(mapping *profile.Mapping, offset uint64, lines ...profile.Line) *profile.Location {
		address := offset
		if mapping != nil {
			address += mapping.Start
		}
		at := &profile.Location{ID: uint64(len(p.Location) + 1), Mapping: mapping, Address: address, Line: lines}
		p.Location = append(p.Location, at)
		return at
	}
	root := location(mill, 0x10, line("main", "mill/main.cc", 10))
	serve := location(mill, 0x20, line("mill::serve(int, char)", "mill/serve.cc", 20))
	grind := location(mill, 0x30, line("mill::hash", "mill/hash.h", 5), line("mill::grind", "mill/grind.cc", 33))
	again := location(mill, 0x38, line("mill::grind", "mill/grind.cc", 38))
	alloc := location(mill, 0x40, line("mill::alloc", "mill/alloc.cc", 7))
	page := location(mill, 0x50, line("mill::alloc_page", "mill/alloc.cc", 9))
	inAlloc := location(mill, 0x60, line("fill", "mill/alloc.cc", 12), line("operator new", "new.cc", 1), line("mill::store", "mill/store.cc", 3))
	helper := location(mill, 0x70, line("helper.Run", "helper/run.go", 70))
	keep := location(mill, 0x78, line("helper.KeepGoing", "helper/run.go", 78))
	memcpy := location(libc, 0x100)
	write := location(libc, 0x200)
	jit := location(anonymous, 0x10)
	nowhere := location(nil, 0xdead)
	unnamed := location(libc, 0x300, line("", "", 0))
	inFile := location(mill, 0x80, line("", "mill/table.S", 44))

	add := func(requests, latency, sent int64, labels map[string][]string, numbers map[string][]int64, units map[string][]string, stack ...*profile.Location) {
		sample := &profile.Sample{Location: stack, Value: []int64{requests, latency, sent}, Label: labels, NumLabel: numbers, NumUnit: units}
		p.Sample = append(p.Sample, sample)
	}
	tenant := func(name string) map[string][]string { return map[string][]string{"tenant": {name}} }
	number := func(key string, value int64) map[string][]int64 { return map[string][]int64{key: {value}} }
	unit := func(key, name string) map[string][]string { return map[string][]string{key: {name}} }

	add(3, 900*round, 64, tenant("acme"), number("payload", 48), unit("payload", "kilobytes"), memcpy, grind, serve, root)
	add(2, 700, 32*round, tenant("globex"), number("payload", 2), unit("payload", "megabytes"), memcpy, grind, serve, root)
	add(5, 1000, 0, tenant("acme"), number("wait", 1500), unit("wait", "milliseconds"), write, grind, again, serve, root)
	add(1, 400, 8, nil, number("request", 4096), nil, alloc, grind, serve, root)
	add(1, 300, 8, nil, number("request", 512), nil, page, alloc, serve, root)
	add(4, 250, 16*round, tenant("initech"), number("level", 7), nil, memcpy, inAlloc, serve, root)
	add(1, 120, 1, tenant("initech"), number("level", 7*round), nil, jit, inAlloc, again, grind, root)
	add(7, 80, 2, map[string][]string{"tenant": {"acme", "globex"}, "zone": {"eu"}}, nil, nil, nowhere, helper, serve, root)
	add(2, 60, 2, tenant("acme"), nil, nil, keep, serve, root)
	add(1, 50, 1, nil, nil, nil, unnamed, serve, root)
	add(1, 45, 1, nil, nil, nil, inFile, again, grind, again, root)
	add(1, 40, 0, nil, nil, nil, alloc, helper)
	add(0, 30, 0, tenant("hooli"), number("payload", 0), unit("payload", "kilobytes"), memcpy, write)
	add(6, 0, 3, tenant("hooli"), nil, nil, jit, root)
	// The same once more, which a merge adds up.
	add(3, 90, 6, tenant("acme"), number("payload", 48), unit("payload", "kilobytes"), memcpy, grind, serve, root)
	if round == 2 {
		add(1, -500, 0, tenant("acme"), nil, nil, again, serve, root)
	}
	return p
}
