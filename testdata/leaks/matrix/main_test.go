package main

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/pprof"
	"testing"

	"example.com/matrix/leaks"
)

// TestMain writes dumps when all tests are over.
func TestMain(m *testing.M) {
	code := run(m)
	for debug, name := range map[int]string{1: "end.debug1.txt", 2: "end.txt"} {
		f, err := os.Create(filepath.Join(os.Getenv("DUMPS"), name))
		if err != nil {
			log.Fatal(err)
		}
		if err := pprof.Lookup("goroutine").WriteTo(f, debug); err != nil {
			log.Fatal(err)
		}
		if err := f.Close(); err != nil {
			log.Fatal(err)
		}
	}
	leaks.Close()
	os.Exit(code)
}

func run(m *testing.M) int {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "here") }))
	leaks.Target = target.URL
	code := m.Run()
	target.Close()
	if os.Getenv("BROKEN") == "" {
		leaks.Close()
	}
	leaks.Settle()
	return code
}

func TestWork(t *testing.T) {
	for _, leak := range leaks.All {
		leak := leak
		t.Run(leak.Name, func(t *testing.T) {
			for request := 0; request < 2; request++ {
				leak.Make(os.Getenv("BROKEN") != "")
			}
		})
	}
}
