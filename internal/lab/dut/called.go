package dut

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Called is a program that a UPF itself starts, and the Debian package that has it.
type Called [2]string

// Calls looks for the programs that a UPF itself starts on this machine. Many UPFs start them by a shell
// and ignore how they end: they would run on, and forward nothing.
func (e Env) Calls(upf string, programs []Called) error {
	if e.Image != nil || e.Elsewhere {
		return nil
	}
	for _, c := range programs {
		if _, err := exec.LookPath(c[0]); err != nil {
			return fmt.Errorf("%s starts %s, which is not in PATH: install what it starts (Debian: apt-get install %s)",
				upf, c[0], packages(programs))
		}
	}
	return nil
}

func packages(programs []Called) string {
	var list []string
	for _, c := range programs {
		if !slices.Contains(list, c[1]) {
			list = append(list, c[1])
		}
	}
	return strings.Join(list, " ")
}

// AskVersion starts a program with the flag that has it tell its version, and gives what it says.
func AskVersion(path, flag string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, flag).CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return "", fmt.Errorf("ask %s %s for its version: %w: %s", path, flag, err, text)
	}
	return text, nil
}
