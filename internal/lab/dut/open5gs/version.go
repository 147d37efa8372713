package open5gs

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
)

// version asks the program, which answers "Open5GS v2.8.0".
func version(path string) (string, error) {
	text, err := dut.AskVersion(path, "-v")
	if err != nil {
		return "", err
	}
	if v, ok := strings.CutPrefix(text, "Open5GS "); ok {
		return v, nil
	}
	return "", fmt.Errorf("%s -v answers %q, which is not Open5GS's version: is it open5gs-upfd?", path, text)
}
