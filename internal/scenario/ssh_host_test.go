package scenario

import "testing"

// TestSSHHostIsNoOption: ssh runs a ProxyCommand on this machine.
func TestSSHHostIsNoOption(t *testing.T) {
	for host, good := range map[string]bool{
		"upf1": true, "root@upf1": true, "ssh://root@upf1:2222": true,
		"-oProxyCommand=id": false, "root@-oProxyCommand": false, "root@": false, "root@-l": false,
	} {
		_, err := OpenText([]byte("external: {n3_interface: n3, n6_interface: n6, ssh: \""+host+"\", process: upf}\nn4: {smf: 10.0.0.1, upf: 10.0.0.2}\n"), "scenario.yaml", nil, false)
		if (err == nil) != good {
			t.Errorf("%s: %v", host, err)
		}
	}
}
