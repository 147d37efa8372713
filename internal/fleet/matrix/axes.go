package matrix

import (
	"fmt"
	"strings"
)

// dutAxis is what is varied that is no setting of the scenario.
const dutAxis = "dut"

// axis is one thing that is varied.
type axis struct {
	key    string
	values []value
}

// value is one of its values. duts are those of the axis of DUTs.
type value struct {
	text string
	duts []string
}

// axes reads the matrix.
func (f *File) axes() (list []axis, err error) {
	hasDUT := false
	for _, item := range f.Matrix {
		key := fmt.Sprint(item.Key)
		values, ok := item.Value.([]any)
		if !ok || len(values) == 0 {
			return nil, fmt.Errorf("matrix: %s: write a list of values, as in %s: [A, B]", key, key)
		}
		a := axis{key: key}
		for _, v := range values {
			a.values = append(a.values, valueOf(key, v))
		}
		hasDUT = hasDUT || key == dutAxis
		list = append(list, a)
	}
	if !hasDUT {
		return nil, fmt.Errorf("matrix: dut: name one or more (`upflab dut list`), as in dut: [builtin:xdp, eupf]")
	}
	return list, nil
}

func valueOf(key string, v any) value {
	if list, ok := v.([]any); ok {
		parts := make([]string, len(list))
		for i, p := range list {
			parts[i] = fmt.Sprint(p)
		}
		if key == dutAxis {
			return value{text: strings.Join(parts, "+"), duts: parts}
		}
		return value{text: "[" + strings.Join(parts, ",") + "]"}
	}
	text := fmt.Sprint(v)
	return value{text: text, duts: []string{text}}
}

// point is one combination: a value of each axis.
type point []value

// product is all combinations, the last axis varying fastest.
func product(axes []axis) []point {
	points := []point{nil}
	for _, a := range axes {
		var next []point
		for _, p := range points {
			for _, v := range a.values {
				next = append(next, append(append(point{}, p...), v))
			}
		}
		points = next
	}
	return points
}
