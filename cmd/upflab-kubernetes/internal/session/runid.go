package session

import (
	"crypto/rand"
	"strings"
)

// newRunID names a run: short, in lower case, as names of objects are.
func newRunID() string { return strings.ToLower(rand.Text()[:6]) }
