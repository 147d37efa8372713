package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

// plainly says what is wrong with a flag and what it takes, without the words of the parser.
func plainly(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag, takes := invalid.GetFlag(), ""
	switch flag.Value.Type() {
	case "bool":
		takes = "it takes no value, or true or false"
	case "int", "int64", "uint", "uint16", "uint32", "uint64":
		takes = "it takes a whole number"
	case "float64":
		takes = "it takes a number"
	case "duration":
		takes = "it takes a time with its unit, such as 500ms, 10s or 2m"
	default:
		takes = errors.Unwrap(invalid).Error() // a type of ours says what it takes
	}
	given := "--" + flag.Name
	if v := invalid.GetValue(); v != "" {
		given += "=" + v
	}
	return fmt.Errorf("%s: %s", given, takes)
}
