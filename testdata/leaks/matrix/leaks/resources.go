package leaks

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"sync"
)

// Target is the address of a server that answers at once.
var Target string

// unclosedBody asks a server and doesn't close the body of the answer.
func unclosedBody(broken bool) {
	answer, err := http.Get(Target)
	if err != nil {
		log.Fatal(err)
	}
	if !broken {
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
}

// unclosedTestServer leaves a httptest.Server running.
func unclosedTestServer(broken bool) {
	server := httptest.NewServer(http.NotFoundHandler())
	if !broken {
		server.Close()
	}
}

// runningServer never calls Shutdown or Close.
func runningServer(broken bool) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: http.NotFoundHandler()}
	go serve(server, listener)
	if !broken {
		_ = server.Close()
		_ = listener.Close()
	}
}

func serve(server *http.Server, listener net.Listener) { _ = server.Serve(listener) }

// unclosedDatabase opens a database for a query and doesn't close it.
func unclosedDatabase(broken bool) {
	db := sql.OpenDB(connector{})
	if err := db.Ping(); err != nil {
		log.Fatal(err)
	}
	if !broken {
		db.Close()
	}
}

// What all requests share.
var shared = sql.OpenDB(connector{})

// Close closes what all requests share.
func Close() {
	shared.Close()
	children.Lock()
	defer children.Unlock()
	for _, child := range children.running {
		_ = child.Process.Kill()
	}
}

// unclosedRows reads one row and leaves the others, and the connection, behind.
func unclosedRows(broken bool) {
	ctx, cancel := context.WithCancel(context.Background())
	if !broken {
		defer cancel()
	}
	_ = cancel
	rows, err := shared.QueryContext(ctx, "select")
	if err != nil {
		log.Fatal(err)
	}
	rows.Next()
	if !broken {
		rows.Close()
	}
}

// children are commands that still run.
var children struct {
	sync.Mutex
	running []*exec.Cmd
}

// unwaited starts a command whose output is copied, and never calls Wait.
func unwaited(broken bool) {
	var output bytes.Buffer
	command := exec.Command("sleep", "600")
	if !broken {
		command = exec.Command("true")
	}
	command.Stdout = &output
	if err := command.Start(); err != nil {
		log.Fatal(err)
	}
	if !broken {
		_ = command.Wait()
		return
	}
	children.Lock()
	defer children.Unlock()
	children.running = append(children.running, command)
}

// A database driver that has one endless table.
type (
	connector struct{}
	conn      struct{}
	rows      struct{}
)

func (connector) Connect(context.Context) (driver.Conn, error) { return conn{}, nil }
func (connector) Driver() driver.Driver                        { return nil }
func (conn) Prepare(string) (driver.Stmt, error)               { return nil, errors.New("not needed") }
func (conn) Close() error                                      { return nil }
func (conn) Begin() (driver.Tx, error)                         { return nil, errors.New("not needed") }
func (conn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return rows{}, nil
}
func (rows) Columns() []string            { return []string{"parcel"} }
func (rows) Close() error                 { return nil }
func (rows) Next(to []driver.Value) error { to[0] = int64(1); return nil }
