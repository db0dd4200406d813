// Package config walks configurations that contain themselves.
package config

// Walk goes down a chain so deep, and waits at its end.
func Walk(depth int, end chan struct{}) int {
	if depth == 0 {
		<-end
		return 0
	}
	return Walk(depth-1, end) + 1
}

// Evaluate is a recursion of two functions.
func Evaluate(depth int, end chan struct{}) int {
	if depth == 0 {
		<-end
		return 0
	}
	return evaluateReference(depth, end) + 1
}

//go:noinline
func evaluateReference(depth int, end chan struct{}) int {
	return Evaluate(depth-1, end) + 1
}
