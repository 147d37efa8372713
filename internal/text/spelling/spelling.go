// Package spelling finds what a mistyped name most likely means.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// mostNames is how many names a hint has.
const mostNames = 3

// Near are the names that a mistyped word most likely means, the nearest first; none
// when no name is near. Of dotted names the last part counts too: "gnb" means "n3.gnb".
func Near(word string, names []string) (near []string) {
	word = strings.ToLower(word)
	limit := 1 + max(1, len([]rune(word))/3)
	distances := map[string]int{}
	for _, name := range names {
		last := name[strings.LastIndexByte(name, '.')+1:]
		distances[name] = min(distance(word, name), distance(word, last))
		if distances[name] < limit {
			near = append(near, name)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distances[a], distances[b]) })
	return near[:min(len(near), mostNames)]
}

// longestWord bounds the work of distance.
const longestWord = 64

// distance is how many letters must be inserted, deleted, changed or swapped with their
// neighbour (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > longestWord || len(y) > longestWord {
		return longestWord
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			rows[i][j] = alignment(rows, x, y, i, j)
		}
	}
	return rows[len(x)][len(y)]
}

func alignment(rows [][]int, x, y []rune, i, j int) int {
	change := 1
	if x[i-1] == y[j-1] {
		change = 0
	}
	d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
	if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
		d = min(d, rows[i-2][j-2]+1)
	}
	return d
}

// DidYouMean is the hint for a mistyped word, in brackets; "" when no name is near.
func DidYouMean(word string, names []string) string {
	near := Near(word, names)
	if len(near) == 0 {
		return ""
	}
	last := len(near) - 1
	text := strings.Join(near[:last], ", ")
	if text != "" {
		text += " or "
	}
	return " (did you mean " + text + near[last] + "?)"
}
