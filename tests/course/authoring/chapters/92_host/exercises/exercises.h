// The exercises of chapter 92: none yet.
#pragma once
