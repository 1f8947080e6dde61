// Package parts builds the parts of a message. Each function takes only the fields that its type has. An empty string
// leaves out what is optional.
package parts

import "github.com/OWNER/crs-eval/clients/go/v2/generated"

// Text is a text.
func Text(text string) (part generated.Part) {
	part.SetType(generated.PARTTYPE_TEXT)
	part.SetText(text)
	return part
}

// Items are shown to the user as cards, in order.
func Items(items []generated.ShownItem, layout generated.ItemLayout) (part generated.Part) {
	part.SetType(generated.PARTTYPE_ITEMS)
	part.SetItems(items)
	if layout != "" {
		part.SetLayout(layout)
	}
	return part
}

// ToolCall is a call of the tool name; arguments are JSON text.
func ToolCall(name, arguments, id string) (part generated.Part) {
	part.SetType(generated.PARTTYPE_TOOL_CALL)
	part.SetName(name)
	optional(part.SetArguments, arguments)
	optional(part.SetId, id)
	return part
}

// ToolResult is what a tool answered to the call with that id; failed is true if the tool failed.
func ToolResult(content, call, name string, failed bool) (part generated.Part) {
	part.SetType(generated.PARTTYPE_TOOL_RESULT)
	part.SetContent(content)
	optional(part.SetCall, call)
	optional(part.SetName, name)
	part.SetError(failed)
	return part
}

// Image is a picture; judges read alt.
func Image(alt, url string) (part generated.Part) {
	part.SetType(generated.PARTTYPE_IMAGE)
	optional(part.SetAlt, alt)
	optional(part.SetUrl, url)
	return part
}

func optional(set func(string), text string) {
	if text != "" {
		set(text)
	}
}
