//go:build cshared

package main

// What a program that loads the probe as a library calls.

import "C"

//export runProbe
func runProbe() { main() }
