package pool

func Start() { go run(make(chan int)) }

func run(c chan int) {
	for range c {
	}
}
