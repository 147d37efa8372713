package cli

import "bytes"

// typed runs a command line as a user types it, without the program's name.
func typed(args ...string) (status int, stdout, stderr string) {
	var out, errors bytes.Buffer
	status = Main(args, &out, &errors)
	return status, out.String(), errors.String()
}
