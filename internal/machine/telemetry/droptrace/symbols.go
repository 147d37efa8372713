package droptrace

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// kallsyms lists the kernel's functions and their addresses.
const kallsyms = "/proc/kallsyms"

// symbols finds the functions that code is in.
type symbols struct {
	file  string
	found map[uint64]string
}

// in names the function of an address, ", in ip_error"; "" for 0, and where the
// kernel does not show it.
func (s *symbols) function(address uint64) string {
	if address == 0 {
		return ""
	}
	name, known := s.found[address]
	if !known {
		name = s.find(address)
		if s.found == nil {
			s.found = map[uint64]string{}
		}
		s.found[address] = name
	}
	return name
}

// find reads the list, which is long and not in order, for the last function that
// begins before the address.
func (s *symbols) find(address uint64) (name string) {
	f, err := os.Open(s.file)
	if err != nil {
		return ""
	}
	defer f.Close()
	nearest := uint64(0)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 || !strings.ContainsAny(fields[1], "tTwW") {
			continue
		}
		at, err := strconv.ParseUint(fields[0], 16, 64)
		if err == nil && at <= address && at > nearest { // all are 0 for those who may not know
			nearest, name = at, fields[2]
		}
	}
	return name
}
