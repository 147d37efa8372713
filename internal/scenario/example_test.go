package scenario_test

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/scenario"
)

// A built-in scenario is opened by its name; what --set changes is checked with the rest of it.
func ExampleOpen() {
	s, err := scenario.Open("quick", []string{"loads=150k,max", "duration=2s"}, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Name, s.Duration)
	for _, load := range s.Loads {
		fmt.Println(load)
	}
	// Output:
	// quick 2s
	// 150k
	// max
}

// A mistake is named with its line and its key; the error's further lines show the file there.
func ExampleOpenText() {
	_, err := scenario.OpenText([]byte("name: mine\nloads: [100k]\nduraton: 1s\n"), "mine.yaml", nil, false)
	first, _, _ := strings.Cut(err.Error(), "\n")
	fmt.Println(first)
	// Output:
	// mine.yaml:3:1: unknown key "duraton" (did you mean duration?); `upflab scenario keys` lists all keys
}
