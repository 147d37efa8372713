package open5gs

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// version asks the program, which answers "Open5GS v2.8.0".
func version(path string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "-v").CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return "", fmt.Errorf("ask %s -v for its version: %w: %s", path, err, text)
	}
	if v, ok := strings.CutPrefix(text, "Open5GS "); ok {
		return v, nil
	}
	return "", fmt.Errorf("%s -v answers %q, which is not Open5GS's version: is it open5gs-upfd?", path, text)
}
