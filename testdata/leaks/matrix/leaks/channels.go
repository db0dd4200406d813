package leaks

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"time"
)

// stranded asks for a price and returns before it has it: nobody receives.
func stranded(broken bool) {
	price := make(chan int, 1)
	if broken {
		price = make(chan int)
	}
	go sendPrice(price)
}

func sendPrice(price chan<- int) { price <- 3 }

// unanswered waits for an answer that nobody gives, and doesn't close the channel either.
func unanswered(broken bool) {
	answer := make(chan int)
	go awaitAnswer(answer)
	if !broken {
		close(answer)
	}
}

func awaitAnswer(answer <-chan int) { <-answer }

// unclosedRange has a worker range over parcels, and doesn't say when there are no more.
func unclosedRange(broken bool) {
	parcels := make(chan int)
	go weigh(parcels)
	parcels <- 1
	if !broken {
		close(parcels)
	}
}

func weigh(parcels <-chan int) {
	for range parcels {
	}
}

// noExit has a goroutine that serves two channels and has no case that ends it.
func noExit(broken bool) {
	orders, returns := make(chan int), make(chan int)
	stop := make(chan struct{})
	if broken {
		go sortForever(orders, returns)
	} else {
		go sortUntil(orders, returns, stop)
	}
	orders <- 1
	close(stop)
}

func sortForever(orders, returns <-chan int) {
	for {
		select {
		case <-orders:
		case <-returns:
		}
	}
}

func sortUntil(orders, returns <-chan int, stop <-chan struct{}) {
	for {
		select {
		case <-orders:
		case <-returns:
		case <-stop:
			return
		}
	}
}

// reminders wakes up with time.After for ever.
func reminders(broken bool) {
	stop := make(chan struct{})
	go remind(stop, broken)
	close(stop)
}

func remind(stop <-chan struct{}, deaf bool) {
	for {
		if deaf {
			<-time.After(time.Hour)
			continue
		}
		select {
		case <-time.After(time.Hour):
		case <-stop:
			return
		}
	}
}

// ticking ranges over a ticker, which Stop doesn't end.
func ticking(broken bool) {
	ticker := time.NewTicker(time.Hour)
	stop := make(chan struct{})
	if broken {
		go tick(ticker)
	} else {
		go tickUntil(ticker, stop)
	}
	ticker.Stop()
	close(stop)
}

func tick(ticker *time.Ticker) {
	for range ticker.C {
	}
}

func tickUntil(ticker *time.Ticker, stop <-chan struct{}) {
	for {
		select {
		case <-ticker.C:
		case <-stop:
			return
		}
	}
}

// forgottenCancel watches until its context is cancelled, and nobody cancels it.
func forgottenCancel(broken bool) {
	ctx, cancel := context.WithCancel(context.Background())
	go watch(ctx, make(chan string))
	if !broken {
		cancel()
	}
	_ = cancel
}

func watch(ctx context.Context, events <-chan string) {
	for {
		select {
		case <-events:
		case <-ctx.Done():
			return
		}
	}
}

// nilChannel waits on a channel that nobody has made.
func nilChannel(broken bool) {
	var news chan string
	if !broken {
		news = make(chan string)
		close(news)
	}
	go listen(news)
}

func listen(news <-chan string) { <-news }

// emptySelect stays alive for no reason.
func emptySelect(broken bool) {
	if broken {
		go stayForever()
	}
}

func stayForever() { select {} }

// sleeper looks every hour whether there is something to do.
func sleeper(broken bool) {
	if broken {
		go sleepOn()
	}
}

func sleepOn() {
	for {
		time.Sleep(time.Hour)
	}
}

// fanOut asks three carriers, as with an errgroup, and returns at the first error: the others can't
// send what they have.
func fanOut(broken bool) {
	room := 3
	if broken {
		room = 0
	}
	answers := make(chan error, room)
	for carrier := 0; carrier < 3; carrier++ {
		go askCarrier(answers)
	}
	if err := <-answers; err != nil {
		return
	}
}

func askCarrier(answers chan<- error) { answers <- errors.New("no carrier") }

// signalLoop handles signals; Stop doesn't close the channel.
func signalLoop(broken bool) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go reload(signals)
	signal.Stop(signals)
	if !broken {
		close(signals)
	}
}

func reload(signals <-chan os.Signal) {
	for range signals {
	}
}
