package apps

import (
	"os"
	"path/filepath"
	"strings"
)

// Remote is another machine that programs run on, by ssh without a password.
type Remote struct {
	Host      string // as ssh takes it
	Namespace string // of that machine, as `ip netns` names it; "": that of the login
}

// guard runs a program and kills it when its own standard input ends, which it does when
// ssh or upflab is killed: nothing stays behind on the other machine.
const guard = `exec 3<&0; "$@" </dev/null & p=$!; { cat <&3 >/dev/null; kill -9 $p; } >/dev/null 2>&1 & w=$!; exec 3<&-; wait $p; s=$?; kill $w; exit $s`

// command is what runs a program there: the one that PATH leads to there, by the name that
// it has here.
func (r *Remote) command(args []string) []string {
	there := append([]string{filepath.Base(args[0])}, args[1:]...)
	if r.Namespace != "" {
		there = append([]string{"ip", "netns", "exec", r.Namespace}, there...)
	}
	line := []string{"exec", "sh", "-c", quoted(guard), "upflab"}
	for _, a := range there {
		line = append(line, quoted(a))
	}
	ssh := strings.Fields(os.Getenv("UPFLAB_SSH"))
	if len(ssh) == 0 {
		ssh = []string{"ssh"}
	}
	return append(ssh, "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "-T", r.Host, strings.Join(line, " "))
}

// quoted is an argument as a shell takes it.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
