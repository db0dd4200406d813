// Package api serves the shop to its customers.
package api

import (
	"net"
	"net/http"
	"time"
)

// Server is the front of the shop.
type Server struct {
	address string
	done    chan struct{}
}

// Serve starts a server on a free port.
func Serve() *Server {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := &Server{address: listener.Addr().String(), done: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("/cart", server.cart)
	go http.Serve(listener, mux)
	go server.expireCarts(time.NewTicker(time.Hour))
	return server
}

// cart answers when the cart changes, which it never does.
func (server *Server) cart(_ http.ResponseWriter, request *http.Request) {
	select {
	case <-server.done:
	case <-request.Context().Done():
	}
}

// expireCarts forgets carts that nobody pays for.
func (server *Server) expireCarts(ticker *time.Ticker) {
	for {
		select {
		case <-ticker.C:
		case <-server.done:
			return
		}
	}
}

// Shop is a customer who waits for the cart.
func (server *Server) Shop() {
	client := &http.Client{Transport: &http.Transport{}}
	if response, err := client.Get("http://" + server.address + "/cart"); err == nil {
		response.Body.Close()
	}
}
