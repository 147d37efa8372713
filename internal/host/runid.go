package host

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// NewRunID gives a short id for a run: five characters, lower case.
func NewRunID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:])[:5])
}
