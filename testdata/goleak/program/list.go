// Package shop prints lists of goroutines in the words of go.uber.org/goleak, which it does not use:
// stacks, ids and states are those of its own goroutines.
package shop

import (
	"fmt"
	"runtime"
	"strings"
)

// entry is an element of the list, printed as goleak's stack.Stack prints itself.
type entry struct{ id, state, function, text string }

func (e entry) String() string {
	return fmt.Sprintf("Goroutine %v in state %v, with %v on top of the stack:\n%s",
		e.id, e.state, e.function, e.text)
}

// list reads all goroutines but the one that asks and those of the test. Releases up to v1.2.1 keep each
// goroutine's header and the blank line behind it in the text, later ones do not.
func list(old bool) []entry {
	buffer := make([]byte, 1<<20)
	buffer = buffer[:runtime.Stack(buffer, true)]
	var found []entry
	for _, text := range strings.Split(string(buffer), "\n\n")[1:] {
		header, frames, _ := strings.Cut(text, "\n")
		if strings.Contains(frames, "testing.") || !strings.Contains(frames, "shop.") {
			continue
		}
		// goleak cuts the line at its first two blanks and takes the brackets off the ends.
		parts := strings.SplitN(strings.TrimSuffix(header, ":"), " ", 3)
		state := strings.TrimSuffix(strings.TrimPrefix(parts[2], "["), "]")
		function, _, _ := strings.Cut(frames, "\n")
		function = function[:strings.LastIndex(function, "(")]
		frames = strings.TrimSuffix(frames, "\n") + "\n"
		if old {
			frames = header + "\n" + frames + "\n"
		}
		found = append(found, entry{parts[1], state, function, frames})
	}
	if old && len(found) > 0 {
		last := &found[len(found)-1]
		last.text = strings.TrimSuffix(last.text, "\n")
	}
	return found
}

func leak(blocked chan int) { <-blocked }
