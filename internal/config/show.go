package config

import (
	"fmt"
	"io"
	"reflect"

	"github.com/goccy/go-yaml"
)

// Show writes the configuration in effect as YAML: every default spelt out and
// marked, secrets by reference only. Loading what it writes gives the same
// configuration.
func (c *Config) Show(w io.Writer) error {
	marks := yaml.CommentMap{}
	mark(reflect.ValueOf(*c), "", "$", c.given, marks)
	text, err := yaml.MarshalWithOptions(c, yaml.WithComment(marks), yaml.IndentSequence(true))
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// mark notes every plain value that the file does not give. path is as problems
// write it, at as the YAML package does.
func mark(v reflect.Value, path, at string, given map[string]position, marks yaml.CommentMap) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() {
		return
	}
	for _, f := range fields(v.Type()) {
		field, path, at := v.Field(f.index), join(path, f.name), at+"."+f.name
		switch field.Kind() {
		case reflect.Slice:
			for i := range field.Len() {
				if field.Index(i).Kind() == reflect.Struct {
					mark(field.Index(i), indexed(path, i), indexed(at, i), given, marks)
				}
			}
		case reflect.Struct, reflect.Pointer:
			if !isTime(field.Type()) {
				mark(field, path, at, given, marks)
			}
		default:
			if _, ok := given[path]; !ok {
				marks[at] = []*yaml.Comment{yaml.LineComment(" default")}
			}
		}
	}
}
