// Matrix makes every mistake of the package leaks in a running HTTP server, once per request, or
// none: the healthy twin. It fetches a dump after each round of requests, as one would from a
// server in production.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.com/matrix/leaks"
)

var (
	dir    = flag.String("dir", ".", "where dumps go")
	broken = flag.Bool("broken", false, "make the mistakes")
	serve  = flag.Bool("serve", false, "be the server")
	rounds = flag.Int("rounds", 5, "rounds of requests, each followed by a dump")
)

func main() {
	flag.Parse()
	if *serve {
		beServer()
		return
	}
	server := exec.Command(os.Args[0], "-serve", fmt.Sprintf("-broken=%v", *broken))
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	hangUp, err := server.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Start(); err != nil {
		log.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	address := "http://" + strings.TrimSpace(line)
	web := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for round := 1; round <= *rounds; round++ {
		for request := 0; request < 2; request++ {
			for _, leak := range leaks.All {
				get(web, address+"/work/"+leak.Name, io.Discard)
			}
		}
		get(web, address+"/settle", io.Discard)
		f, err := os.Create(filepath.Join(*dir, fmt.Sprintf("%d.txt", round)))
		if err != nil {
			log.Fatal(err)
		}
		get(web, address+"/debug/pprof/goroutine?debug=2", f)
		if err := f.Close(); err != nil {
			log.Fatal(err)
		}
	}
	_ = hangUp.Close()
	if err := server.Wait(); err != nil {
		log.Fatal(err)
	}
}

func get(web *http.Client, address string, to io.Writer) {
	answer, err := web.Get(address)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(to, answer.Body); err != nil {
		log.Fatal(err)
	}
}

func beServer() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	leaks.Target = "http://" + listener.Addr().String() + "/hello"
	for _, leak := range leaks.All {
		leak := leak
		http.HandleFunc("/work/"+leak.Name, func(http.ResponseWriter, *http.Request) { leak.Make(*broken) })
	}
	http.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") })
	http.HandleFunc("/settle", func(http.ResponseWriter, *http.Request) { leaks.Settle() })
	server := &http.Server{ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	fmt.Println(listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	leaks.Close()
	_ = server.Shutdown(context.Background())
}
