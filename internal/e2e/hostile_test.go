package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestHostilePeers has scapy attack `upflab upf` from all sides while it is an
// SMF's.
func TestHostilePeers(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	needScapy(t)
	nothingLeft(t)
	makeLab(t)
	ip(t, "-n "+peerNS+" address add 192.168.14.112/24 dev n4")
	ip(t, "-n "+peerNS+" address add 192.168.13.132/24 dev n3")
	file := filepath.Join(t.TempDir(), "upf.yaml")
	text := `n4: {address: 192.168.14.151}
n3: {interface: n3, address: 192.168.13.151}
n6: {interface: n6}
ue_pool: [10.45.0.0/16]
api: {address: "192.168.14.151:9080"}
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	upf := start(t, inNS(upfNS, program(), "upf", "--config", file))
	upf.says("ready")
	attackers := start(t, inNS(peerNS, "python3", "testdata/hostile.py"))
	if got := attackers.status(90 * time.Second); got != 0 {
		t.Errorf("an attack succeeds: exit status %d\n%s\nUPF:\n%s", got, attackers.said(), upf.said())
	}
	upf.signal(syscall.SIGTERM)
	if got := upf.status(5 * time.Second); got != 0 {
		t.Errorf("the UPF ends with status %d after SIGTERM\n%s", got, upf.said())
	}
}
