//go:build !cgo

package main

func inC() {}
